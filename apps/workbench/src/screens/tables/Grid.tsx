// biome-ignore-all lint/a11y/useSemanticElements: rows that come and go while scrolling cannot be a table element
import { type CSSProperties, type KeyboardEvent, useMemo, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import type { Item } from "../../api/client";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { ReceiptLine } from "../../parts/ReceiptLine";
import { kindOf } from "./change";
import { type Column, type Sort, sortRows } from "./columns";
import { GridBody } from "./GridBody";
import { GridHead } from "./GridHead";
import { cellId } from "./GridRow";
import css from "./grid.module.css";
import { pressed } from "./gridKeys";
import { SelectionBar } from "./SelectionBar";
import { SlowState } from "./SlowState";
import type { TableInfo } from "./schema";
import type { Search } from "./search";
import { useStaged } from "./staged";
import { useCellEdit } from "./useCellEdit";
import { useColumns } from "./useColumns";
import { useRowEvents } from "./useRowEvents";
import { useRows } from "./useRows";
import { useSelection } from "./useSelection";
import { bringRow } from "./useWindow";

const ROW_PIXELS = { compact: 28, roomy: 36 };

export interface GridProps {
  /** Before the ids of its cells, where a page has more than one grid. */
  grid?: string;
  connection: string;
  readOnly: boolean;
  table: TableInfo;
  search: Search;
  run: number;
  onChoose: (item: Item | null) => void;
  onReverse: () => void;
}

/** Rows of a table or an index: only those in sight exist, pages scrolled past are let go. */
export function Grid(props: GridProps) {
  const { grid = "", connection, readOnly, table, search, run, onChoose, onReverse } = props;
  const t = useTranslations("tables");
  const rows = useRows(connection, table, search, run);
  const from = table.indexes.find((i) => i.name === search.index);
  const staged = useStaged();
  const selection = useSelection(table);
  const [sort, setSort] = useState<Sort | null>(null);
  const [active, setActive] = useState({ row: 0, column: 1 });
  const cell = useCellEdit({ connection, table, from, readOnly });

  const shown = useMemo(() => (sort === null ? rows.items : sortRows(rows.items, sort)), [rows.items, sort]);
  const columns = useColumns(table, search.index, rows.items);
  const arrivals = useMemo(() => arrivalsOf(staged.changes.values(), table), [staged.changes, table]);
  const above = arrivals.length + rows.before;
  const total = above + shown.length;
  const itemAt = (row: number) => (row < arrivals.length ? arrivals[row] : shown[row - above]);

  const pane = useRef<HTMLDivElement>(null);
  const rowPixels =
    document.documentElement.dataset.density === "roomy" ? ROW_PIXELS.roomy : ROW_PIXELS.compact;
  const move = (row: number, column: number) => {
    const to = {
      row: Math.max(0, Math.min(total - 1, row)),
      column: Math.max(0, Math.min(columns.length, column)),
    };
    setActive(to);
    if (pane.current) bringRow(pane.current, to.row, rowPixels);
    const item = itemAt(to.row);
    if (search.item !== "" && item) onChoose(item);
    // The element may only come with the scroll.
    requestAnimationFrame(() =>
      document
        .getElementById(cellId(to.row, to.column, grid))
        ?.scrollIntoView({ block: "nearest", inline: "nearest" }),
    );
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== pane.current) return;
    const item = itemAt(active.row);
    const column = columns[active.column - 1];
    const known = pressed(event, {
      by: (down, right) => move(active.row + down, active.column + right),
      first: () => {
        if (rows.before > 0) rows.restart();
        move(0, active.column);
      },
      // The end of a Query is where it begins when read downwards.
      last: () => (search.pk !== "" && rows.more ? onReverse() : move(total - 1, active.column)),
      open: () => item && onChoose(item),
      edit: () => item && column && cell.edit(item, column.name),
      toggle: (extend) => item && (extend ? selection.extend(shown, item) : selection.toggle(item)),
      all: () => selection.set(shown),
      leave: () => (selection.rows.size > 0 ? selection.set([]) : onChoose(null)),
    });
    if (known) event.preventDefault();
  };
  const events = useRowEvents({ search, shown, selection, cell, setActive, onChoose, pane });

  if (rows.error && rows.items.length === 0) return <ProblemPanel error={rows.error} onRetry={rows.retry} />;
  const layout = `var(--tick) ${columns.map((c) => (c.leading ? "var(--column-key)" : "var(--column)")).join(" ")}`;
  const range = (from?.keys ?? table.keys).range?.name;
  const ordered = range !== undefined && search.pk !== "" ? { name: range, up: !search.desc } : null;
  const all = shown.length > 0 && selection.rows.size >= shown.length;
  const count =
    sort === null ? t("loaded", { n: total - arrivals.length }) : t("sortedHere", { n: shown.length });
  const loaded = rows.more ? `${count} · ${t("more")}` : count;
  return (
    <div className={css.frame}>
      <div className={css.around}>
        <div
          ref={pane}
          className={css.pane}
          role="grid"
          style={{ "--line-width": widthOf(columns) } as CSSProperties}
          aria-rowcount={rows.more ? -1 : total + 1}
          aria-colcount={columns.length + 1}
          aria-multiselectable
          aria-label={from?.name ?? table.name}
          aria-busy={rows.running}
          aria-activedescendant={total > 0 ? cellId(active.row, active.column, grid) : undefined}
          tabIndex={0}
          onKeyDown={onKeyDown}
        >
          <GridHead
            columns={columns}
            layout={layout}
            sort={sort}
            ordered={ordered}
            chosen={all ? "all" : selection.rows.size > 0 ? "some" : "none"}
            onSort={setSort}
            onReverse={onReverse}
            onAll={() => selection.set(all ? [] : shown)}
          />
          <GridBody
            grid={grid}
            pane={pane}
            rowPixels={rowPixels}
            columns={columns}
            layout={layout}
            table={table}
            from={from}
            arrivals={arrivals}
            before={rows.before}
            items={shown}
            selected={selection.rows}
            open={search.item}
            active={active}
            editing={cell.editing}
            events={events}
            inSight={rows.inSight}
          />
          {!rows.running && rows.stopped && (
            <p className={css.empty} role="status">
              {t("cancelled", { n: rows.scanned })} <Button onPress={rows.resume}>{t("goOn")}</Button>
            </p>
          )}
          {!rows.running && !rows.stopped && !rows.more && total === 0 && (
            <p className={css.empty}>{t("noRows")}</p>
          )}
        </div>
        {rows.running && <SlowState scanned={rows.scanned} onCancel={rows.cancel} />}
      </div>
      {rows.error && <ProblemPanel error={rows.error} onRetry={rows.retry} />}
      {cell.error !== null && <ProblemPanel error={cell.error} />}
      {selection.rows.size > 0 && (
        <SelectionBar
          connection={connection}
          readOnly={readOnly}
          table={table}
          from={from}
          selection={selection}
        />
      )}
      <footer className={css.foot}>
        <span title={loaded}>{loaded}</span>
        {/* A new line for a new answer: words that move within one would be a shift. */}
        <ReceiptLine
          key={`${rows.scanned} ${rows.before} ${rows.receipt?.requests[0]?.micros}`}
          receipt={rows.receipt}
        />
      </footer>
    </div>
  );
}

/** A row's width is said, not found by laying it out: there are many, and they come and go. */
const widthOf = (columns: Column[]) => {
  const leading = columns.filter((column) => column.leading).length;
  return `calc(var(--tick) + ${leading} * var(--column-key) + ${columns.length - leading} * var(--column))`;
};

/** New items of a table, and where moved ones will be: they stand above what was read. */
function arrivalsOf(changes: Iterable<Parameters<typeof kindOf>[0]>, table: TableInfo): Item[] {
  return [...changes].flatMap((change) =>
    change.table.name === table.name && change.after !== null && kindOf(change) === "new"
      ? [change.after]
      : [],
  );
}
