import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { type Command, useCommands } from "../../lib/commands";
import { edgeHref, nodeHref } from "../../lib/places";
import { useNumbers } from "../../lib/useNumbers";
import { ProblemPanel } from "../../parts/ProblemPanel";
import css from "./both.module.css";
import { DonePanel } from "./DonePanel";
import { edgeQuery, edgesOf, listQuery } from "./data";
import { EdgeCard } from "./EdgeCard";
import { EdgeList } from "./EdgeList";
import { Guide } from "./Guide";
import { LensSwitch } from "./LensSwitch";
import type { LensProps } from "./lens";
import { Recipe } from "./Recipe";
import { Ribbons } from "./Ribbons";
import { useWords, type Words } from "./words";
import { type Action, useEdgeWrites } from "./writes";

const pick = (end: "source" | "target") => document.getElementById(`pick-${end}`)?.focus();

/** The hinge: one edge item shown in the two places where it can be read. */
export function EdgeLens({ place, search, model, relation, node, readOnly }: LensProps) {
  const { s: source, t: target } = search;
  const t = useTranslations("both");
  const nav = useTranslations("nav");
  const router = useRouter();
  const number = useNumbers();
  const words = useWords(relation);
  const edge = useQuery(edgeQuery(place, source, target));
  const outList = useInfiniteQuery(listQuery(place, "out", source));
  const inList = useInfiniteQuery(listQuery(place, "in", target));
  const attributes = relation?.attributes ?? [];
  const writes = useEdgeWrites(place, source, target, attributes);
  const [isOpen, setOpen] = useState(false);

  const go = (s: string, u: string) => {
    writes.forget();
    setOpen(false);
    router.history.push(edgeHref(place, s, u));
  };
  const open = (entity: string | undefined, id: string) => {
    router.history.push(nodeHref(place, entity ?? "", id));
  };
  const present = edge.data !== undefined && edge.data.item !== null;
  // While the next edge is read its buttons stay as they are.
  const last = useRef<boolean>(undefined);
  const known = edge.data === undefined ? (source === "" || target === "" ? false : last.current) : present;
  useEffect(() => {
    last.current = known;
  }, [known]);
  const isBusy = writes.isPending || edge.isPending;
  const blocked = isBusy || readOnly;
  const outEdges = edgesOf(outList.data?.pages);
  const inEdges = edgesOf(inList.data?.pages);
  const sources = [...inEdges, ...outEdges].map((e) => e.source);
  const targets = [...outEdges, ...inEdges].map((e) => e.target);
  const peers = relation?.source === relation?.target;
  useCommands(
    useHingeCommands({ words, present, blocked, writes, onOpen: () => setOpen(!isOpen), onPick: pick }),
  );
  const counter = inList.data?.pages[0]?.counter ?? null;
  return (
    <div className={css.screen}>
      <h1 className="visually-hidden">
        {nav("both")}: {source} {words.verb} {target}
      </h1>
      <div className={css.recipe}>
        <Recipe
          source={source}
          target={target}
          words={words}
          suggestions={{
            source: peers ? [...sources, ...targets] : sources,
            target: peers ? [...targets, ...sources] : targets,
          }}
          onMore={{
            source: inList.hasNextPage ? () => void inList.fetchNextPage() : undefined,
            target: outList.hasNextPage ? () => void outList.fetchNextPage() : undefined,
          }}
          present={known}
          isBusy={isBusy}
          readOnly={readOnly}
          onWrite={writes.send}
          onChoose={go}
        />
        <LensSwitch place={place} search={search} relation={relation} node={node} />
      </div>
      {writes.error ? <ProblemPanel error={writes.error} onRetry={writes.again} /> : null}
      <div className={css.hinge} data-frame>
        <Ribbons />
        <EdgeList
          place={place}
          side="out"
          column="left"
          node={source}
          peer={target}
          title={words.out(source)}
          where={t("base", { table: model?.table ?? "" })}
          present={present}
          attributes={attributes}
          note="receipt"
          peers={relation?.target ?? ""}
          onChoose={(peer) => go(source, peer)}
          onOpen={(peer) => open(relation?.target, peer)}
          onFill={() => pick("target")}
        />
        <div className={css.middle}>
          <EdgeCard
            place={place}
            relation={relation}
            source={source}
            target={target}
            onChoose={() => pick(source === "" ? "source" : "target")}
            onEdit={
              readOnly
                ? undefined
                : (name, value) => writes.send({ kind: "set", attributes: { [name]: value } })
            }
          />
          {!writes.done && edge.data && !readOnly && <Guide words={words} present={present} />}
          {writes.done && (
            <DonePanel
              done={writes.done}
              keys={relation?.key_names ?? []}
              isOpen={isOpen}
              onOpen={setOpen}
              onUndo={writes.send}
              audit={
                counter === null || inList.hasNextPage || writes.awaited
                  ? null
                  : { counter: number(counter), listed: number(inEdges.length) }
              }
            />
          )}
        </div>
        <EdgeList
          place={place}
          side="in"
          column="right"
          node={target}
          peer={source}
          title={words.in(target)}
          where={t("index", { index: relation?.index ?? "" })}
          present={present}
          awaited={writes.awaited === "present"}
          attributes={attributes}
          note="counter"
          peers={relation?.source ?? ""}
          onChoose={(peer) => go(peer, target)}
          onOpen={(peer) => open(relation?.source, peer)}
          onFill={() => pick("source")}
        />
      </div>
    </div>
  );
}

interface Offered {
  words: Words;
  present: boolean;
  blocked: boolean;
  writes: ReturnType<typeof useEdgeWrites>;
  onOpen: () => void;
  onPick: (end: "source" | "target") => void;
}

/** What can be done about the edge in the middle. */
function useHingeCommands({ words, present, blocked, writes, onOpen, onPick }: Offered): Command[] {
  const t = useTranslations("both");
  const command = (id: string, label: string, keys: string, run: () => void): Command => ({
    id: `edge/${id}`,
    group: "actions",
    label,
    keys,
    run,
  });
  const write = (id: string, label: string, keys: string, action: Action) =>
    blocked ? [] : [command(id, label, keys, () => writes.send(action))];
  const undo = writes.done?.undo;
  return [
    ...write("write", present ? words.unlink : words.link, "w", { kind: present ? "unlink" : "link" }),
    ...(present ? write("again", t("sendAgain"), "a", { kind: "again" }) : []),
    ...write("sixteen", t("sixteen"), "x", { kind: "sixteen" }),
    ...(undo ? write("undo", t("undo"), "z", undo) : []),
    ...(writes.done ? [command("open", t("openTransaction"), "o", onOpen)] : []),
    command("source", t("pickSource"), "s", () => onPick("source")),
    command("target", t("pickTarget"), "t", () => onPick("target")),
  ];
}
