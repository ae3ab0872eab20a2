export const panes = ["import", "export", "snapshots"] as const;
export type Pane = (typeof panes)[number];

/** The state of the screen, in the URL. */
export interface DataSearch {
  pane: Pane;
  table: string;
}

export const readData = (search: Record<string, unknown>): DataSearch => ({
  pane: panes.find((pane) => pane === search.pane) ?? "import",
  table: typeof search.table === "string" ? search.table : "",
});
