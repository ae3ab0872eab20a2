import type { Item } from "../api/client";

/** A text that is equal for equal keys. */
export const keyText = (key: Item): string =>
  JSON.stringify(Object.entries(key).sort(([a], [b]) => (a < b ? -1 : 1)));
