import { type RefObject, useMemo, useRef } from "react";
import type { Item } from "../../api/client";
import type { RowEvents } from "./GridRow";
import type { Search } from "./search";
import type { CellEdit } from "./useCellEdit";
import type { Selection } from "./useSelection";

interface Parts {
  search: Search;
  shown: Item[];
  selection: Selection;
  cell: CellEdit;
  setActive: (at: { row: number; column: number }) => void;
  onChoose: (item: Item | null) => void;
  pane: RefObject<HTMLDivElement | null>;
}

/** What rows tell the grid, as functions that never change: a row then has no reason to draw itself again. */
export function useRowEvents(parts: Parts): RowEvents {
  const now = useRef(parts);
  now.current = parts;
  return useMemo(() => {
    const focus = () => now.current.pane.current?.focus({ preventScroll: true });
    return {
      onOpen: (item) => now.current.onChoose(item),
      onPress: (item) => {
        focus();
        if (now.current.search.item !== "") now.current.onChoose(item);
      },
      onToggle: (item, extend) => {
        const { selection, shown } = now.current;
        if (extend) selection.extend(shown, item);
        else selection.toggle(item);
      },
      onActive: (row, column) => now.current.setActive({ row, column }),
      onEdit: (item, column) => now.current.cell.edit(item, column),
      onDone: (column, value) => {
        now.current.cell.done(column, value);
        focus();
      },
      onCancel: () => {
        now.current.cell.cancel();
        focus();
      },
    };
  }, []);
}
