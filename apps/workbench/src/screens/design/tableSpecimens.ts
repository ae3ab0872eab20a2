import type { QueryClient } from "@tanstack/react-query";
import type { Item } from "../../api/client";
import { itemQuery, rowsQuery } from "../tables/data";
import { keyOf, type TableInfo } from "../tables/schema";
import { emptySearch, type Search } from "../tables/search";
import { DIGITS, item, LONG, receipt, throttled } from "./specimens";

export const CONNECTION = "design";

const part = (name: string) => ({ name, type: "S" as const });

/** A table of one name for each state: what its grid and its inspector read differs. */
export const tableOf = (name: string): TableInfo => ({
  name,
  keys: { hash: part("PK"), range: part("SK") },
  indexes: [
    {
      name: "GSI1",
      keys: { hash: part("GSI1PK"), range: part("GSI1SK") },
      global: true,
      projects: "ALL",
      items: 3,
    },
  ],
  items: 3,
  bytes: 900,
  status: "ACTIVE",
  billing: "PAY_PER_REQUEST",
  arn: "",
  stream: null,
});

/** What the grid of a state asks for. */
export const read = (_state: string): Search => ({ ...emptySearch, pk: "ACTOR#alice" });

export const keyOfRow = (row: Item): Item => keyOf(tableOf("rest"), row);

const row = (target: string, more: Item = {}): Item => ({
  ...item,
  SK: { S: `TARGET#${target}` },
  ...more,
});

/** Rows and items by state. */
const rows: Record<string, Item[]> = {
  ...Object.fromEntries(
    ["rest", "hover", "focus", "chosen", "disabled"].map((state) => [
      state,
      [item, row("carol"), row("dave")],
    ]),
  ),
  empty: [],
  long: [row("bob", { note: { S: LONG } }), row(LONG)],
  digits: [row(DIGITS, { exact: { N: DIGITS } })],
};

/** Gives the grids and inspectors their answers, so that they stand in every state without a server. */
export function fillTables(client: QueryClient): void {
  const waits = { queryFn: () => new Promise<never>(() => undefined) };
  const fails = { queryFn: () => Promise.reject(throttled) };
  const keys = (state: string) => ({
    rows: rowsQuery(CONNECTION, tableOf(state), read(state), 0, [], 0).queryKey as unknown[],
    item: itemQuery(CONNECTION, tableOf(state), keyOfRow(item)).queryKey as unknown[],
  });
  for (const [state, items] of Object.entries(rows)) {
    const { rows: listed, item: one } = keys(state);
    const page = { items, next: undefined, receipt, scanned: items.length };
    client.setQueryData(listed, { pages: [page], pageParams: [{ number: 0, startKey: undefined }] });
    client.setQueryData(one, { output: { Item: items[0] ?? null }, receipt });
  }
  for (const [state, how] of [
    ["loading", waits],
    ["error", fails],
  ] as const)
    for (const queryKey of Object.values(keys(state))) void client.prefetchQuery({ queryKey, ...how });
}
