import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Plus, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import css from "./create.module.css";
import { send } from "./data";
import {
  createRequest,
  type IndexDraft,
  type KeyDraft,
  newDraft,
  newIndex,
  type TableDraft,
} from "./newTable";
import type { ScalarType } from "./schema";
import { emptySearch } from "./search";

/** How often a new table is looked at until it can be used, and how many times. */
const LOOK_MS = 200;
const LOOKS = 300;

/** A new table: its keys, its indexes, how it is paid for, and beside them the request that makes it. */
export function CreateTable({ connection }: { connection: string }) {
  const t = useTranslations("create");
  const navigate = useNavigate();
  const client = useQueryClient();
  const [draft, setDraft] = useState(newDraft);
  const set = (change: Partial<TableDraft>) => setDraft({ ...draft, ...change });
  const request = createRequest(draft);
  const make = useMutation({
    mutationFn: async () => {
      await send(connection, "CreateTable", request);
      await untilActive(connection, draft.name);
    },
    onSuccess: async () => {
      await client.invalidateQueries({
        predicate: ({ queryKey }) => ["tables", "models"].includes(String(queryKey[0])),
      });
      navigate({
        to: "/c/$connection/tables/$table",
        params: { connection, table: draft.name },
        search: { ...emptySearch, tab: "structure" },
      });
    },
  });
  const setIndex = (changed: IndexDraft) =>
    set({ indexes: draft.indexes.map((index) => (index.id === changed.id ? changed : index)) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <div className={css.create}>
      <form className={css.form} onSubmit={submit} aria-label={t("title")}>
        <h2>{t("title")}</h2>
        <label className={css.field}>
          <span>{t("name")}</span>
          <input
            required
            value={draft.name}
            spellCheck={false}
            onChange={(event) => set({ name: event.target.value })}
          />
        </label>
        <KeyFields label={t("partitionKey")} part={draft.hash} onChange={(hash) => set({ hash })} />
        <KeyFields label={t("sortKey")} part={draft.range} optional onChange={(range) => set({ range })} />
        {draft.indexes.map((index) => (
          <IndexFields
            key={index.id}
            index={index}
            onChange={setIndex}
            onRemove={() => set({ indexes: draft.indexes.filter((each) => each.id !== index.id) })}
          />
        ))}
        <p>
          <Button tone="quiet" onPress={() => set({ indexes: [...draft.indexes, newIndex(draft)] })}>
            <Plus aria-hidden size="1em" /> {t("addIndex")}
          </Button>
        </p>
        <Billing draft={draft} set={set} />
        {make.error && <ProblemPanel error={make.error} />}
        <p>
          <Button type="submit" tone="primary" isDisabled={draft.name === "" || make.isPending}>
            {make.isPending ? t("making") : t("make")}
          </Button>
        </p>
      </form>
      <section className={css.request} aria-label={t("request")}>
        <h2>{t("request")}</h2>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so keys must reach it */}
        <pre tabIndex={0}>{JSON.stringify(request, null, 2)}</pre>
      </section>
    </div>
  );
}

/** Waits until a table can be used. */
async function untilActive(connection: string, name: string): Promise<void> {
  for (let look = 0; look < LOOKS; look += 1) {
    const { output } = await send(connection, "DescribeTable", { TableName: name });
    if ((output.Table as { TableStatus: string }).TableStatus === "ACTIVE") return;
    await new Promise((wake) => window.setTimeout(wake, LOOK_MS));
  }
}

function Billing({ draft, set }: { draft: TableDraft; set: (change: Partial<TableDraft>) => void }) {
  const t = useTranslations("create");
  return (
    <fieldset className={css.group}>
      <legend>{t("billing")}</legend>
      {(["PAY_PER_REQUEST", "PROVISIONED"] as const).map((mode) => (
        <label key={mode} className={css.choice}>
          <input
            type="radio"
            name="billing"
            checked={draft.billing === mode}
            onChange={() => set({ billing: mode })}
          />
          {t(mode === "PROVISIONED" ? "provisioned" : "onDemand")}
        </label>
      ))}
      {draft.billing === "PROVISIONED" && (
        <>
          <label className={css.field}>
            <span>RCU</span>
            <input
              inputMode="numeric"
              value={draft.reads}
              onChange={(event) => set({ reads: event.target.value })}
            />
          </label>
          <label className={css.field}>
            <span>WCU</span>
            <input
              inputMode="numeric"
              value={draft.writes}
              onChange={(event) => set({ writes: event.target.value })}
            />
          </label>
        </>
      )}
    </fieldset>
  );
}

interface KeyProps {
  label: string;
  part: KeyDraft;
  optional?: boolean;
  onChange: (part: KeyDraft) => void;
}

function KeyFields({ label, part, optional = false, onChange }: KeyProps) {
  const t = useTranslations("create");
  return (
    <div className={css.key}>
      <label className={css.field}>
        <span>{label}</span>
        <input
          required={!optional}
          placeholder={optional ? t("none") : ""}
          value={part.name}
          spellCheck={false}
          onChange={(event) => onChange({ ...part, name: event.target.value })}
        />
      </label>
      <select
        aria-label={t("typeOf", { name: label })}
        value={part.type}
        onChange={(event) => onChange({ ...part, type: event.target.value as ScalarType })}
      >
        <option value="S">S</option>
        <option value="N">N</option>
        <option value="B">B</option>
      </select>
    </div>
  );
}

interface IndexProps {
  index: IndexDraft;
  onChange: (index: IndexDraft) => void;
  onRemove: () => void;
}

function IndexFields({ index, onChange, onRemove }: IndexProps) {
  const t = useTranslations("create");
  return (
    <fieldset className={css.group}>
      <legend>{index.name || t("index")}</legend>
      <label className={css.field}>
        <span>{t("name")}</span>
        <input
          required
          value={index.name}
          spellCheck={false}
          onChange={(event) => onChange({ ...index, name: event.target.value })}
        />
      </label>
      <label className={css.field}>
        <span>{t("kind")}</span>
        <select
          value={index.local ? "local" : "global"}
          onChange={(event) => onChange({ ...index, local: event.target.value === "local" })}
        >
          <option value="global">{t("global")}</option>
          <option value="local">{t("local")}</option>
        </select>
      </label>
      {!index.local && (
        <KeyFields
          label={t("partitionKey")}
          part={index.hash}
          onChange={(hash) => onChange({ ...index, hash })}
        />
      )}
      <KeyFields
        label={t("sortKey")}
        part={index.range}
        optional={!index.local}
        onChange={(range) => onChange({ ...index, range })}
      />
      <label className={css.field}>
        <span>{t("projection")}</span>
        <select
          value={index.projection}
          onChange={(event) =>
            onChange({ ...index, projection: event.target.value as IndexDraft["projection"] })
          }
        >
          <option>ALL</option>
          <option>KEYS_ONLY</option>
          <option>INCLUDE</option>
        </select>
      </label>
      {index.projection === "INCLUDE" && (
        <label className={css.field}>
          <span>{t("included")}</span>
          <input
            required
            value={index.include}
            spellCheck={false}
            onChange={(event) => onChange({ ...index, include: event.target.value })}
          />
        </label>
      )}
      <Button tone="quiet" aria-label={t("removeIndex", { name: index.name })} onPress={onRemove}>
        <X aria-hidden size="1em" />
      </Button>
    </fieldset>
  );
}
