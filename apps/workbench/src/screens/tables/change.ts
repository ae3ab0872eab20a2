import type { AttributeValue, Item } from "../../api/client";
import { keyText } from "../../lib/key";
import { keyOf, type TableInfo } from "./schema";

/** One item before and after; null is absence. An `after` of another key is a move. */
export interface Change {
  table: TableInfo;
  /** The key under which the item is, or will be where it is new. */
  key: Item;
  before: Item | null;
  after: Item | null;
}

export type Kind = "new" | "changed" | "moved" | "deleted";

export function kindOf({ table, key, before, after }: Change): Kind {
  if (before === null) return "new";
  if (after === null) return "deleted";
  return keyText(keyOf(table, after)) === keyText(key) ? "changed" : "moved";
}

const sorted = (item: Item | null) =>
  item === null ? null : Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1));
/** Whether two items are equal, whatever the order of their attributes. */
export const sameItem = (a: Item | null, b: Item | null) =>
  JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
const same = (a: AttributeValue | undefined, b: AttributeValue | undefined) =>
  JSON.stringify(a) === JSON.stringify(b);

export interface Difference {
  name: string;
  before?: AttributeValue;
  after?: AttributeValue;
}

/** Attributes that differ, with both values. */
export function differences({ before, after }: Pick<Change, "before" | "after">): Difference[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].sort().flatMap((name) => {
    const old = before?.[name];
    const now = after?.[name];
    if (same(old, now)) return [];
    return [{ name, ...(old ? { before: old } : {}), ...(now ? { after: now } : {}) }];
  });
}
