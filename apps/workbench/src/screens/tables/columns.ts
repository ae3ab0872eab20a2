import type { Item } from "../../api/client";
import { open, text } from "../../lib/value";
import { partsOf, type TableInfo } from "./schema";

/** Attributes shown as columns beside the keys, at most: the inspector shows all. */
const COLUMNS = 12;

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

/** The keys of an index, where one is read, and of the table: they stand first. */
function leadingOf(table: TableInfo, indexName: string): string[] {
  const index = table.indexes.find((i) => i.name === indexName);
  const parts = [...(index ? partsOf(index.keys) : []), ...partsOf(table.keys)];
  return [...new Set(parts.map((k) => k.name))];
}

/** The attributes that are columns already, and behind them those that items add: no column comes between two others. */
export function attributesOf(
  table: TableInfo,
  indexName: string,
  known: readonly string[],
  items: Item[],
): readonly string[] {
  if (known.length >= COLUMNS) return known;
  const seen = new Set([...leadingOf(table, indexName), ...known]);
  const more = new Set<string>();
  for (const item of items) for (const name of Object.keys(item)) if (!seen.has(name)) more.add(name);
  return more.size === 0 ? known : [...known, ...[...more].sort()].slice(0, COLUMNS);
}

/** Keys of the index and the table, then attributes. */
export function columnsOf(table: TableInfo, indexName: string, attributes: readonly string[]): Column[] {
  const own = partsOf(table.keys).map((k) => k.name);
  return [
    ...leadingOf(table, indexName).map((name) => ({ name, key: own.includes(name), leading: true })),
    ...attributes.map((name) => ({ name, key: false, leading: false })),
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
