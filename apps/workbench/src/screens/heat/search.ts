/** The state of the screen, in the URL. */
export interface HeatSearch {
  /** The table that is watched; the first one where none is said. */
  table: string;
  by: "writes" | "reads";
  /** The place and partition key that is open, as `place␟key`. */
  open: string;
}

const word = (value: unknown) => (typeof value === "string" ? value : "");

export const readHeat = (search: Record<string, unknown>): HeatSearch => ({
  table: word(search.table),
  by: search.by === "reads" ? "reads" : "writes",
  open: word(search.open),
});
