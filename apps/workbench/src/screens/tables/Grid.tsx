// biome-ignore-all lint/a11y/useSemanticElements: rows that come and go while scrolling cannot be a table element
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and moves the chosen row
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp } from "lucide-react";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import type { Item } from "../../api/client";
import { open, text } from "../../lib/value";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { ReceiptLine } from "../../parts/ReceiptLine";
import { ValueView } from "../../parts/ValueView";
import { type PageMark, type PageParam, rowsQuery } from "./data";
import { SlowState } from "./SlowState";
import { isProjected, keyOf, keyText, partsOf, type TableInfo } from "./schema";
import type { Search } from "./search";
import { stagedFor, useStaged } from "./staged";
import css from "./tables.module.css";

/** Attributes shown as columns beside the keys, at most: the inspector shows all. */
const COLUMNS = 12;
/** Rows from the window's ends at which the next page is asked for. */
const AHEAD = 40;
const ROW_PIXELS = { compact: 28, roomy: 36 };

interface Props {
  connection: string;
  table: TableInfo;
  search: Search;
  run: number;
  onChoose: (item: Item | null) => void;
  onReverse: () => void;
}

/** Rows of a table or an index: only those in sight exist, pages scrolled past are let go. */
export function Grid({ connection, table, search, run, onChoose, onReverse }: Props) {
  const t = useTranslations("tables");
  const marks = useRef<PageMark[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new search begins with no pages
  const pageMarks = useMemo(() => {
    marks.current = [];
    return marks.current;
  }, [connection, table.name, search.index, search.pk, search.op, search.sk, search.sk2, search.desc, run]);
  const client = useQueryClient();
  const query = rowsQuery(connection, table, search, run, pageMarks);
  const rows = useInfiniteQuery(query);
  const cancel = () => client.cancelQueries({ queryKey: query.queryKey });
  const index = table.indexes.find((i) => i.name === search.index);
  const staged = useStaged();
  const [sort, setSort] = useState<{ name: string; up: boolean } | null>(null);

  const firstPage = (rows.data?.pageParams[0] as PageParam | undefined)?.number ?? 0;
  const before = pageMarks.slice(0, firstPage).reduce((n, mark) => n + mark.rows, 0);
  const loaded = useMemo(() => rows.data?.pages.flatMap((p) => p.items) ?? [], [rows.data]);
  const shown = useMemo(() => (sort === null ? loaded : sortRows(loaded, sort)), [loaded, sort]);
  const columns = useMemo(() => columnsOf(table, index?.name, loaded), [table, index, loaded]);
  const total = before + shown.length;

  const pane = useRef<HTMLDivElement>(null);
  const rowPixels =
    document.documentElement.dataset.density === "roomy" ? ROW_PIXELS.roomy : ROW_PIXELS.compact;
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => pane.current,
    estimateSize: () => rowPixels,
    overscan: 8,
  });
  const visible = virtual.getVirtualItems();
  const top = visible[0]?.index ?? 0;
  const bottom = visible.at(-1)?.index ?? 0;
  useEffect(() => {
    if (rows.isFetching) return;
    if (rows.hasNextPage && bottom >= total - AHEAD) rows.fetchNextPage();
    else if (rows.hasPreviousPage && top < before + AHEAD) rows.fetchPreviousPage();
  }, [rows, top, bottom, total, before]);

  const onKeyDown = (event: KeyboardEvent) => {
    const at = shown.findIndex((item) => keyText(keyOf(table, item)) === search.item);
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = shown[Math.max(0, Math.min(shown.length - 1, at + step))];
    if (next === undefined) return;
    onChoose(next);
    virtual.scrollToIndex(before + shown.indexOf(next));
  };

  if (rows.error) return <ProblemPanel error={rows.error} onRetry={() => rows.refetch()} />;
  const grid = columns.map((c) => (c.key ? "var(--column-key)" : "var(--column)")).join(" ");
  const last = rows.data?.pages.at(-1);
  return (
    <div className={css.gridFrame}>
      <div
        ref={pane}
        className={css.pane}
        role="grid"
        aria-rowcount={rows.hasNextPage ? -1 : total + 1}
        aria-label={index?.name ?? table.name}
        aria-busy={rows.isFetching}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <div className={css.head} role="row" style={{ gridTemplateColumns: grid }}>
          {columns.map((column) => {
            const range = (index?.keys ?? table.keys).range?.name;
            const direction =
              column.name === range && search.pk !== "" && sort === null ? !search.desc : null;
            const up = sort?.name === column.name ? sort.up : direction;
            return (
              <div
                role="columnheader"
                key={column.name}
                aria-sort={up === null ? "none" : up ? "ascending" : "descending"}
              >
                <Button
                  tone="quiet"
                  onPress={() =>
                    direction === null
                      ? setSort(
                          sort?.name === column.name
                            ? sort.up
                              ? { ...sort, up: false }
                              : null
                            : { name: column.name, up: true },
                        )
                      : onReverse()
                  }
                >
                  <span className={css.columnName} data-key={column.key || undefined}>
                    {column.name}
                  </span>
                  {up !== null &&
                    (up ? <ArrowUp aria-hidden size="1em" /> : <ArrowDown aria-hidden size="1em" />)}
                </Button>
              </div>
            );
          })}
        </div>
        <div className={css.body} style={{ height: virtual.getTotalSize() }}>
          {visible.map((row) => {
            const item = shown[row.index - before];
            const change = item && stagedFor(staged, table, keyOf(table, item));
            return (
              <div
                key={row.key}
                role="row"
                tabIndex={-1}
                aria-rowindex={row.index + 2}
                aria-selected={item !== undefined && keyText(keyOf(table, item)) === search.item}
                className={css.line}
                data-staged={change && (change.after === null ? "deleted" : "changed")}
                style={{ transform: `translateY(${row.start}px)`, gridTemplateColumns: grid }}
                onClick={() => item && onChoose(item)}
                onKeyDown={(event) => event.key === "Enter" && item && onChoose(item)}
              >
                {columns.map((column) => {
                  const value = (change?.after ?? item)?.[column.name];
                  return (
                    <div
                      role="gridcell"
                      key={column.name}
                      data-unprojected={!isProjected(table, index, column.name) || undefined}
                    >
                      {value && <ValueView name={column.name} value={value} chip={!column.key} />}
                    </div>
                  );
                })}
              </div>
            );
          })}
        </div>
        {rows.isFetching && <SlowState onCancel={cancel} />}
        {!rows.isFetching && total === 0 && <p className={css.empty}>{t("noRows")}</p>}
      </div>
      <footer className={css.gridFoot}>
        <span>
          {sort === null ? t("loaded", { n: total }) : t("sortedHere", { n: shown.length })}
          {rows.hasNextPage ? ` · ${t("more")}` : ""}
        </span>
        <ReceiptLine receipt={last?.receipt} />
      </footer>
    </div>
  );
}

interface Column {
  name: string;
  key: boolean;
}

/** Keys of the index and the table first, then the attributes seen, by name. */
function columnsOf(table: TableInfo, indexName: string | undefined, items: Item[]): Column[] {
  const index = table.indexes.find((i) => i.name === indexName);
  const keys = [...(index ? partsOf(index.keys) : []), ...partsOf(table.keys)].map((k) => k.name);
  const seen = new Set<string>();
  for (const item of items.slice(0, 500)) for (const name of Object.keys(item)) seen.add(name);
  const rest = [...seen].filter((name) => !keys.includes(name)).sort();
  return [
    ...[...new Set(keys)].map((name) => ({ name, key: true })),
    ...rest.slice(0, COLUMNS).map((name) => ({ name, key: false })),
  ];
}

function sortRows(items: Item[], { name, up }: { name: string; up: boolean }): Item[] {
  const rank = (item: Item): [number, number | string] => {
    const value = item[name];
    if (value === undefined) return [2, ""];
    const { type, raw } = open(value);
    return type === "N" ? [0, Number(raw)] : [1, text(value)];
  };
  const keyed = items.map((item) => ({ item, rank: rank(item) }));
  keyed.sort((a, b) => {
    const [ka, va] = a.rank;
    const [kb, vb] = b.rank;
    const order = ka !== kb ? ka - kb : va < vb ? -1 : va > vb ? 1 : 0;
    return up ? order : -order;
  });
  return keyed.map((k) => k.item);
}
