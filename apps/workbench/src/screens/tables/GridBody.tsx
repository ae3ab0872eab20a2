// biome-ignore-all lint/a11y/useSemanticElements: rows that come and go while scrolling cannot be a table element
import { memo, type RefObject, useEffect } from "react";
import type { Item } from "../../api/client";
import { keyText } from "../../lib/key";
import type { Column } from "./columns";
import { GridRow, type RowEvents } from "./GridRow";
import css from "./grid.module.css";
import { type IndexInfo, keyOf, type TableInfo } from "./schema";
import { stagedFor, useStaged } from "./staged";
import type { CellEdit } from "./useCellEdit";
import { useWindow } from "./useWindow";

/** Rows at the foot whose editor opens upwards. */
const LOW_ROWS = 4;

interface Props {
  /** Before the ids of its cells. */
  grid: string;
  pane: RefObject<HTMLDivElement | null>;
  rowPixels: number;
  columns: Column[];
  layout: string;
  table: TableInfo;
  from: IndexInfo | undefined;
  /** New items, above what was read. */
  arrivals: Item[];
  /** Rows that were read before those in memory and let go: they have their place, and nothing in it. */
  before: number;
  items: Item[];
  selected: Map<string, Item>;
  /** The key of the row that is open in the inspector. */
  open: string;
  active: { row: number; column: number };
  editing: CellEdit["editing"];
  events: RowEvents;
  inSight: (top: number, bottom: number) => void;
}

/** The rows in sight. A scroll draws these and nothing else of the grid. */
export const GridBody = memo(function GridBody(props: Props) {
  const { pane, rowPixels, table, arrivals, before, items, active, editing, inSight } = props;
  const staged = useStaged();
  const above = arrivals.length + before;
  const total = above + items.length;
  const { first, end, slotOf } = useWindow(pane, total, rowPixels);
  useEffect(
    () => inSight(Math.max(0, first - arrivals.length), Math.max(0, end - 1 - arrivals.length)),
    [inSight, first, end, arrivals.length],
  );
  const rows = Array.from({ length: end - first }, (_, n) => first + n);
  return (
    <div className={css.body} role="rowgroup" style={{ height: total * rowPixels }}>
      {rows.map((index) => {
        const item = index < arrivals.length ? arrivals[index] : items[index - above];
        const own = item && keyOf(table, item);
        const key = own && keyText(own);
        return (
          <GridRow
            key={slotOf(index)}
            grid={props.grid}
            index={index}
            start={index * rowPixels}
            layout={props.layout}
            columns={props.columns}
            table={table}
            from={props.from}
            item={item}
            change={own && stagedFor(staged, table, own)}
            selected={key !== undefined && props.selected.has(key)}
            open={key !== undefined && key === props.open}
            active={index === active.row ? active.column : null}
            editing={editing !== null && editing.key === key ? editing : null}
            low={index > LOW_ROWS && index >= end - 1 - LOW_ROWS}
            {...props.events}
          />
        );
      })}
    </div>
  );
});
