/** The state of the screen, in the URL. */
export interface LiveSearch {
  /** Only requests of this table. */
  table: string;
  /** Only this operation. */
  op: string;
  /** Only what was refused. */
  failed: boolean;
  /** Words that a request must have. */
  find: string;
  /** The number of the request that is open. */
  open: string;
}

export const emptyLive: LiveSearch = { table: "", op: "", failed: false, find: "", open: "" };

const word = (value: unknown) => (typeof value === "string" ? value : "");

export const readLive = (search: Record<string, unknown>): LiveSearch => ({
  table: word(search.table),
  op: word(search.op),
  failed: search.failed === "1" || search.failed === true,
  find: word(search.find),
  open: word(search.open),
});
