/** The state of the screen, in the URL. */
export interface ChecksSearch {
  tab?: "counters" | "pitfalls";
  /** The ends of the edge that the reads are run with. */
  s?: string;
  t?: string;
}

export function readChecks({ tab, s, t }: Record<string, unknown>): ChecksSearch {
  const found: ChecksSearch = tab === "counters" || tab === "pitfalls" ? { tab } : {};
  if (typeof s !== "string" || typeof t !== "string" || s === "" || t === "") return found;
  return { ...found, s, t };
}
