import { ArrowDown, ArrowUp } from "lucide-react";
import { type FormEvent, useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "../../parts/Button";
import type { TableInfo } from "./schema";
import { type Search, type SortOperator, sortOperators } from "./search";
import css from "./tables.module.css";

/** The request as pills. Its button says what it will be: a Query, or in red a Scan. */
export function QueryBar({
  table,
  search,
  onRun,
}: {
  table: TableInfo;
  search: Search;
  onRun: (search: Search) => void;
}) {
  const t = useTranslations("tables");
  const [draft, setDraft] = useState(search);
  useEffect(() => setDraft(search), [search]);
  const keys = table.indexes.find((i) => i.name === draft.index)?.keys ?? table.keys;
  const scan = draft.pk === "";
  const set = (change: Partial<Search>) => setDraft({ ...draft, ...change });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onRun({ ...draft, item: "" });
  };
  return (
    <form className={css.queryBar} onSubmit={submit}>
      <select
        aria-label={t("readFrom")}
        value={draft.index}
        onChange={(event) => set({ index: event.target.value, pk: "", sk: "", sk2: "" })}
      >
        <option value="">{table.name}</option>
        {table.indexes.map((index) => (
          <option key={index.name} value={index.name}>
            {index.name}
          </option>
        ))}
      </select>
      <label className={css.pill}>
        <span>{keys.hash.name} =</span>
        <input value={draft.pk} spellCheck={false} onChange={(event) => set({ pk: event.target.value })} />
      </label>
      {keys.range && !scan && (
        <label className={css.pill}>
          <span>{keys.range.name}</span>
          <select
            aria-label={t("sortCondition")}
            value={draft.op}
            onChange={(event) => set({ op: event.target.value as SortOperator })}
          >
            {sortOperators
              .filter((op) => op !== "begins_with" || keys.range?.type !== "N")
              .map((op) => (
                <option key={op}>{op}</option>
              ))}
          </select>
          <input
            aria-label={keys.range.name}
            value={draft.sk}
            spellCheck={false}
            onChange={(event) => set({ sk: event.target.value })}
          />
          {draft.op === "between" && (
            <input
              aria-label={`${keys.range.name} 2`}
              value={draft.sk2}
              spellCheck={false}
              onChange={(event) => set({ sk2: event.target.value })}
            />
          )}
        </label>
      )}
      {!scan && (
        <Button tone="quiet" onPress={() => set({ desc: !draft.desc })}>
          {draft.desc ? <ArrowDown aria-hidden size="1em" /> : <ArrowUp aria-hidden size="1em" />}
          {draft.desc ? t("descending") : t("ascending")}
        </Button>
      )}
      <Button type="submit" tone={scan ? "plain" : "primary"}>
        <span data-scan={scan || undefined} className={css.run}>
          {scan ? "Scan" : "Query"}
        </span>
      </Button>
    </form>
  );
}
