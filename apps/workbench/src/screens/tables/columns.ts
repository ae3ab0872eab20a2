import type { Item } from "../../api/client";
import { open, text } from "../../lib/value";
import { partsOf, type TableInfo } from "./schema";

/** Attributes shown as columns beside the keys, at most: the inspector shows all. */
const COLUMNS = 12;
/** Rows whose attributes become columns: those of the first pages, so that columns do not come and go. */
const LOOKED_AT = 500;

export interface Column {
  name: string;
  /** Part of the table's key: changing it moves the item. */
  key: boolean;
  /** Part of a key, of the table or of the index that is read: it stands first. */
  leading: boolean;
}

export interface Sort {
  name: string;
  up: boolean;
}

/** Keys of the index and the table first, then the attributes seen, by name. */
export function columnsOf(table: TableInfo, indexName: string, items: Item[]): Column[] {
  const index = table.indexes.find((i) => i.name === indexName);
  const own = partsOf(table.keys).map((k) => k.name);
  const leading = [...new Set([...(index ? partsOf(index.keys).map((k) => k.name) : []), ...own])];
  const seen = new Set<string>();
  for (const item of items.slice(0, LOOKED_AT)) for (const name of Object.keys(item)) seen.add(name);
  const rest = [...seen].filter((name) => !leading.includes(name)).sort();
  return [
    ...leading.map((name) => ({ name, key: own.includes(name), leading: true })),
    ...rest.slice(0, COLUMNS).map((name) => ({ name, key: false, leading: false })),
  ];
}

/** Rows by an attribute: numbers by size, then text, then those that lack it. */
export function sortRows(items: Item[], { name, up }: Sort): Item[] {
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
    // What lacks the attribute stays last in both directions: there is nothing to order it by.
    if (ka !== kb) return ka === 2 || kb === 2 || up ? ka - kb : kb - ka;
    const order = va < vb ? -1 : va > vb ? 1 : 0;
    return up ? order : -order;
  });
  return keyed.map((k) => k.item);
}
