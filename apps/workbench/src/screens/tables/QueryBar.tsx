import { ArrowDown, ArrowUp, Plus, X } from "lucide-react";
import { type FormEvent, useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "../../parts/Button";
import type { KeyPart, TableInfo } from "./schema";
import {
  type Filter,
  type FilterOperator,
  filterOperators,
  readFilters,
  type Search,
  type SortOperator,
  sortOperators,
  writeFilters,
} from "./search";
import css from "./tables.module.css";

interface Props {
  table: TableInfo;
  search: Search;
  onRun: (search: Search) => void;
}

/** The request as pills. Its button says what it will be: a Query, or in red a Scan. */
export function QueryBar({ table, search, onRun }: Props) {
  const t = useTranslations("tables");
  const [draft, setDraft] = useState(search);
  useEffect(() => setDraft(search), [search]);
  const keys = table.indexes.find((i) => i.name === draft.index)?.keys ?? table.keys;
  const scan = draft.pk === "";
  const set = (change: Partial<Search>) => setDraft({ ...draft, ...change });
  const filters = readFilters(draft.filter);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const given = filters.filter((f) => f.name !== "");
    onRun({ ...draft, filter: writeFilters(given), item: "", scan });
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
      {keys.range && !scan && <SortPill range={keys.range} draft={draft} set={set} />}
      {filters.map((filter, at) => (
        <FilterPill
          // biome-ignore lint/suspicious/noArrayIndexKey: filters have no name but their place
          key={at}
          filter={filter}
          onChange={(next) => set({ filter: writeFilters(filters.with(at, next)) })}
          onRemove={() => set({ filter: writeFilters(filters.toSpliced(at, 1)) })}
        />
      ))}
      <AddFilter onAdd={(name) => set({ filter: writeFilters([...filters, newFilter(name)]) })} />
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

const newFilter = (name: string): Filter => ({ name, op: "=", type: "S", text: "" });

interface SortProps {
  range: KeyPart;
  draft: Search;
  set: (change: Partial<Search>) => void;
}

function SortPill({ range, draft, set }: SortProps) {
  const t = useTranslations("tables");
  const operators = sortOperators.filter((op) => op !== "begins_with" || range.type !== "N");
  // A number has no beginning: the first operator that it does take stands in for it.
  const op = operators.includes(draft.op) ? draft.op : (operators[0] as SortOperator);
  return (
    <label className={css.pill}>
      <span>{range.name}</span>
      <select
        aria-label={t("sortCondition")}
        value={op}
        onChange={(event) => set({ op: event.target.value as SortOperator })}
      >
        {operators.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
      <input
        aria-label={range.name}
        value={draft.sk}
        spellCheck={false}
        onChange={(event) => set({ sk: event.target.value, op })}
      />
      {op === "between" && (
        <input
          aria-label={`${range.name} 2`}
          value={draft.sk2}
          spellCheck={false}
          onChange={(event) => set({ sk2: event.target.value })}
        />
      )}
    </label>
  );
}

interface FilterProps {
  filter: Filter;
  onChange: (filter: Filter) => void;
  onRemove: () => void;
}

function FilterPill({ filter, onChange, onRemove }: FilterProps) {
  const t = useTranslations("tables");
  const takesValue = !filter.op.startsWith("attribute_");
  return (
    <span className={css.pill} data-filter>
      <span>{filter.name}</span>
      <select
        aria-label={t("filterCondition", { name: filter.name })}
        value={filter.op}
        onChange={(event) => onChange({ ...filter, op: event.target.value as FilterOperator })}
      >
        {filterOperators.map((op) => (
          <option key={op}>{op}</option>
        ))}
      </select>
      {takesValue && (
        <>
          <select
            aria-label={t("filterType", { name: filter.name })}
            value={filter.type}
            onChange={(event) => onChange({ ...filter, type: event.target.value as Filter["type"] })}
          >
            {["S", "N", "BOOL"].map((type) => (
              <option key={type}>{type}</option>
            ))}
          </select>
          <input
            aria-label={t("filterValue", { name: filter.name })}
            value={filter.text}
            spellCheck={false}
            onChange={(event) => onChange({ ...filter, text: event.target.value })}
          />
        </>
      )}
      <Button tone="quiet" aria-label={t("removeFilter", { name: filter.name })} onPress={onRemove}>
        <X aria-hidden size="1em" />
      </Button>
    </span>
  );
}

/** Names the attribute first: the pill for it follows. */
function AddFilter({ onAdd }: { onAdd: (name: string) => void }) {
  const t = useTranslations("tables");
  const [name, setName] = useState<string | null>(null);
  if (name === null)
    return (
      <Button tone="quiet" onPress={() => setName("")}>
        <Plus aria-hidden size="1em" /> {t("filter")}
      </Button>
    );
  const done = () => {
    if (name !== "") onAdd(name);
    setName(null);
  };
  return (
    <span className={css.pill} data-filter>
      <input
        aria-label={t("filterAttribute")}
        placeholder={t("filterAttribute")}
        ref={(el) => el?.focus()}
        value={name}
        spellCheck={false}
        onChange={(event) => setName(event.target.value)}
        onBlur={done}
        onKeyDown={(event) => {
          if (event.key !== "Enter" && event.key !== "Escape") return;
          event.preventDefault();
          if (event.key === "Enter") done();
          else setName(null);
        }}
      />
    </span>
  );
}
