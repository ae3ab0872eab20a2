import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { useMemo, useState } from "react";
import { Autocomplete, Header, Input, Menu, MenuItem, MenuSection, SearchField } from "react-aria-components";
import { useTranslations } from "use-intl";
import type { EdgePage, Model } from "../api/client";
import { allCommands, type Command, type Group, groups, keysInWords } from "../lib/commands";
import { nodeHref, type Place, tablesHref } from "../lib/places";
import { Sheet } from "../parts/Sheet";
import { tablesQuery } from "../screens/tables/data";
import { useHere } from "./here";
import css from "./overlay.module.css";

/** Nodes that the palette lists before anything is typed narrows them. */
const NODES = 200;

/** Whether every word of what is typed stands somewhere in the text. */
function matches(text: string, typed: string): boolean {
  const plain = (s: string) => s.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const whole = plain(text);
  return plain(typed)
    .split(/\s+/)
    .every((w) => whole.includes(w));
}

/** A name that begins with what is typed comes before one that holds it. */
const rank = (text: string, typed: string) => Number(!text.toLowerCase().startsWith(typed.toLowerCase()));

/** Everything that can be reached or done, by typing some of its name. */
export function Palette({ onClose }: { onClose: () => void }) {
  const t = useTranslations("palette");
  const [typed, setTyped] = useState("");
  const nodes = useNodes();
  const tables = useTables();
  const named = useNamed(typed.trim());
  const offered = useMemo(allCommands, []);
  const found = [...offered, ...nodes, ...tables].filter((c) => matches(`${c.label} ${t(c.group)}`, typed));
  const shown = [...found].sort((a, b) => rank(a.label, typed) - rank(b.label, typed));
  const all = [...shown, ...named.filter((n) => shown.every((c) => c.id !== n.id))];
  const run = (id: string) => {
    onClose();
    // The screen has its focus back before the command moves it.
    requestAnimationFrame(() => all.find((c) => c.id === id)?.run());
  };
  return (
    <Sheet title={t("title")} side="middle" bare onClose={onClose}>
      <Autocomplete inputValue={typed} onInputChange={setTyped}>
        <SearchField aria-label={t("title")} autoFocus className={css.search ?? ""}>
          <Search aria-hidden size="1.25em" />
          <Input placeholder={t("placeholder")} spellCheck={false} autoComplete="off" />
        </SearchField>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with keys */}
        <div className={css.scroll} tabIndex={0}>
          <Menu
            aria-label={t("title")}
            className={css.menu ?? ""}
            onAction={(key) => run(String(key))}
            renderEmptyState={() => <p className={css.none}>{t("none")}</p>}
          >
            {groupsOf(all).map((group) => {
              const own = all.filter((c) => c.group === group);
              return (
                <MenuSection key={group} id={group}>
                  <Header>{t(group)}</Header>
                  {own.map((c) => (
                    <MenuItem key={c.id} id={c.id} textValue={c.label} className={css.item ?? ""}>
                      <span>{c.label}</span>
                      {c.keys && (
                        <span className={css.itemKeys}>
                          {keysInWords(c.keys).map((key) => (
                            <kbd key={key}>{key}</kbd>
                          ))}
                        </span>
                      )}
                    </MenuItem>
                  ))}
                </MenuSection>
              );
            })}
          </Menu>
        </div>
      </Autocomplete>
    </Sheet>
  );
}

/** The groups that have something, the one with the best name first. */
function groupsOf(commands: Command[]): Group[] {
  const first = commands[0]?.group;
  const rest = groups.filter((group) => group !== first && commands.some((c) => c.group === group));
  return first === undefined ? [] : [first, ...rest];
}

const nodeId = (model: string, entity: string, id: string) => `node/${model}/${entity}/${id}`;

/** The nodes that were read in this session. */
function useNodes(): Command[] {
  const t = useTranslations("palette");
  const here = useHere();
  const router = useRouter();
  const client = useQueryClient();
  return useMemo(() => {
    const found = new Map<string, Command>();
    for (const [key, data] of client.getQueriesData<{ pages: EdgePage[] }>({ queryKey: ["list"] })) {
      const place = key[1] as Place;
      const relation = relationOf(here.models, place);
      if (place.connection !== here.connection || relation === undefined) continue;
      const note = (entity: string, id: string) => {
        const known = nodeId(place.model, entity, id);
        if (found.has(known) || found.size >= NODES) return;
        found.set(known, {
          id: known,
          group: "nodes",
          label: t("node", { id, entity, model: place.model }),
          run: () => router.history.push(nodeHref(place, entity, id)),
        });
      };
      for (const edge of data?.pages.flatMap((page) => page.edges) ?? []) {
        note(relation.source, edge.source);
        note(relation.target, edge.target);
      }
    }
    return [...found.values()];
  }, [client, here.connection, here.models, router, t]);
}

const relationOf = (models: Model[], place: Place) =>
  models.find((m) => m.name === place.model)?.relations.find((r) => r.name === place.relation);

/** What is typed, as the id of a node of each kind, the model of the screen first. */
function useNamed(id: string): Command[] {
  const t = useTranslations("palette");
  const here = useHere();
  const router = useRouter();
  if (id === "") return [];
  const models = [...here.models].sort((a, b) => Number(b === here.model) - Number(a === here.model));
  return models.flatMap((model) =>
    model.entities.flatMap(({ name: entity }) => {
      const relation = model.relations.find((r) => r.source === entity || r.target === entity);
      if (relation === undefined) return [];
      const place = { connection: here.connection, model: model.name, relation: relation.name };
      return [
        {
          id: nodeId(model.name, entity, id),
          group: "nodes" as const,
          label: t("node", { id, entity, model: model.name }),
          run: () => router.history.push(nodeHref(place, entity, id)),
        },
      ];
    }),
  );
}

/** Tables, where their names were read already or the palette may read them: one ListTables. */
function useTables(): Command[] {
  const here = useHere();
  const router = useRouter();
  const client = useQueryClient();
  const known = client.getQueryData<string[]>(tablesQuery(here.connection).queryKey);
  const names = known ?? [...new Set(here.models.map((m) => m.table))];
  return names.map((table) => ({
    id: `table/${table}`,
    group: "tables" as const,
    label: table,
    run: () => router.history.push(tablesHref(here.connection, table)),
  }));
}
