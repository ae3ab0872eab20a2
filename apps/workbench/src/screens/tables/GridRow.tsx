// biome-ignore-all lint/a11y/useSemanticElements: rows that come and go while scrolling cannot be a table element
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and moves the active cell
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the grid takes the keys
import { memo } from "react";
import { useTranslations } from "use-intl";
import type { AttributeValue, Item } from "../../api/client";
import { brief } from "../../lib/value";
import { ValueEditor } from "../../parts/ValueEditor";
import { ValueText } from "../../parts/ValueView";
import { type Change, type Kind, kindOf } from "./change";
import type { Column } from "./columns";
import css from "./grid.module.css";
import { type IndexInfo, isProjected, partsOf, type TableInfo } from "./schema";

/** Characters of a value that its cell tells the pointer, at most. */
const TOLD = 500;

/** The id of a cell; `grid` tells the grids of one page apart. */
export const cellId = (row: number, column: number, grid = "") => `${grid}cell-${row}-${column}`;

export interface RowEvents {
  onOpen: (item: Item) => void;
  /** A cell was pressed: the inspector follows where it is open. Opening it would move what is being double-clicked. */
  onPress: (item: Item) => void;
  onToggle: (item: Item, extend: boolean) => void;
  onActive: (row: number, column: number) => void;
  onEdit: (item: Item, column: string) => void;
  onDone: (column: string, value: AttributeValue) => void;
  onCancel: () => void;
}

interface Props extends RowEvents {
  /** Before the ids of its cells. */
  grid: string;
  index: number;
  start: number;
  layout: string;
  columns: Column[];
  table: TableInfo;
  from: IndexInfo | undefined;
  item: Item | undefined;
  change: Change | undefined;
  selected: boolean;
  /** Open in the inspector. */
  open: boolean;
  /** The active cell's column, where it is in this row. */
  active: number | null;
  /** What is being edited here, with the item as it is in the table. */
  editing: { column: string; base: Item } | null;
  /** The row is so low that an editor has to open upwards. */
  low: boolean;
}

/** One row. It draws itself again only when something in it changed: a scroll moves the rest as it is. */
export const GridRow = memo(function GridRow(props: Props) {
  const { index, start, layout, columns, item, change, selected, open, active } = props;
  const t = useTranslations("tables");
  const kind: Kind | undefined = change && kindOf(change);
  const shown = change && kind !== "moved" ? (change.after ?? change.before ?? item) : item;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      className={css.line}
      data-open={open || undefined}
      data-staged={kind}
      data-editing={props.editing !== null || undefined}
      style={{ transform: `translateY(${start}px)`, gridTemplateColumns: layout }}
    >
      <div
        role="gridcell"
        className={css.tick}
        id={cellId(index, 0, props.grid)}
        data-active={active === 0 || undefined}
      >
        {item && (
          <>
            <input
              type="checkbox"
              tabIndex={-1}
              aria-label={t("chooseRow", { n: index + 1 })}
              checked={selected}
              onChange={() => {}}
              onClick={(event) => props.onToggle(item, event.shiftKey)}
            />
            <button
              type="button"
              tabIndex={-1}
              aria-label={t("openRow", { n: index + 1 })}
              onClick={() => props.onOpen(item)}
            />
          </>
        )}
      </div>
      {columns.map((column, at) => {
        const value = shown?.[column.name];
        const hatched =
          !isProjected(props.table, props.from, column.name) && value === undefined && item !== undefined;
        return (
          <div
            role="gridcell"
            key={column.name}
            id={cellId(index, at + 1, props.grid)}
            aria-colindex={at + 2}
            data-leading={column.leading || undefined}
            data-active={active === at + 1 || undefined}
            data-unprojected={hatched || undefined}
            title={
              hatched ? t("notProjected", { index: props.from?.name ?? "" }) : value && brief(value, TOLD)
            }
            onClick={() => {
              if (!item) return;
              props.onActive(index, at + 1);
              props.onPress(item);
            }}
            onDoubleClick={() => item && props.onEdit(item, column.name)}
          >
            {value && <ValueText name={column.name} value={value} chip={!column.leading} />}
            {hatched && <span className="visually-hidden">{t("notProjected", { index: "" })}</span>}
          </div>
        );
      })}
      {props.editing && <CellEditor {...props} editing={props.editing} />}
    </div>
  );
});

/** The value being edited, over its cell. */
function CellEditor({
  table,
  columns,
  editing,
  low,
  onDone,
  onCancel,
}: Props & { editing: { column: string; base: Item } }) {
  const t = useTranslations("tables");
  const { column, base } = editing;
  const at = columns.findIndex((c) => c.name === column);
  const part = [table.keys, ...table.indexes.map((i) => i.keys)]
    .flatMap(partsOf)
    .find((p) => p.name === column);
  const moves = columns[at]?.key === true;
  return (
    <div
      role="gridcell"
      className={css.cellEditor}
      data-low={low || undefined}
      style={{ gridColumn: `${at + 2} / span 2` }}
      ref={bringIntoSight}
    >
      <ValueEditor
        name={column}
        value={base[column]}
        {...(part && { types: [part.type] })}
        note={moves ? t("movesItem") : undefined}
        onDone={(value) => onDone(column, value)}
        onCancel={onCancel}
      />
    </div>
  );
}

const bringIntoSight = (el: HTMLElement | null) =>
  el?.scrollIntoView({ block: "nearest", inline: "nearest" });
