import { useCallback, useState } from "react";
import type { Item } from "../../api/client";
import { keyText } from "../../lib/key";
import { keyOf, type TableInfo } from "./schema";

/** Chosen rows by the text of their keys: they stay chosen when their page is let go. */
export interface Selection {
  rows: Map<string, Item>;
  toggle: (item: Item) => void;
  /** From the row toggled last to this one. */
  extend: (items: Item[], to: Item) => void;
  set: (items: Item[]) => void;
}

export function useSelection(table: TableInfo): Selection {
  const [rows, setRows] = useState(new Map<string, Item>());
  const [anchor, setAnchor] = useState<string | null>(null);
  const name = useCallback((item: Item) => keyText(keyOf(table, item)), [table]);
  const toggle = useCallback(
    (item: Item) => {
      const key = name(item);
      setAnchor(key);
      setRows((old) => {
        const next = new Map(old);
        if (!next.delete(key)) next.set(key, item);
        return next;
      });
    },
    [name],
  );
  const extend = (items: Item[], to: Item) => {
    const from = items.findIndex((item) => name(item) === anchor);
    if (from < 0) return toggle(to);
    const end = items.indexOf(to);
    const range = items.slice(Math.min(from, end), Math.max(from, end) + 1);
    setRows((old) => new Map([...old, ...range.map((item) => [name(item), item] as const)]));
  };
  const set = useCallback(
    (items: Item[]) => setRows(new Map(items.map((item) => [name(item), item]))),
    [name],
  );
  return { rows, toggle, extend, set };
}
