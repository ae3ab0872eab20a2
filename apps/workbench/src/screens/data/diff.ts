import type { AttributeValue, Item } from "../../api/client";

export interface Changed {
  name: string;
  before: AttributeValue | undefined;
  now: AttributeValue | undefined;
}

export type Kind = "added" | "changed" | "gone";

export const kindOf = (before: Item | null, now: Item | null): Kind =>
  before === null ? "added" : now === null ? "gone" : "changed";

/** The attributes that are not as they were, by name. */
export function changesOf(before: Item | null, now: Item | null): Changed[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(now ?? {})])].sort();
  return names
    .map((name) => ({ name, before: before?.[name], now: now?.[name] }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.now));
}
