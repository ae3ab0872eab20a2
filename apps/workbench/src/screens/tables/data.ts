import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, ask, type Item, type Receipt } from "../../api/client";
import { keyText } from "../../lib/key";
import { keyOf, readTable, type TableInfo } from "./schema";
import { isAsked, requestOf, type Search } from "./search";

/** Pages held in memory at once; those scrolled past are read again when they come back. */
const PAGES_HELD = 20;
/** Rows that are always held: fewer than two screens of them would be let go and read again in turns. */
const ROWS_HELD = 400;

/** How many pages to hold: pages of a filter, and of large items, have few rows. 0 is any number. */
export const pagesHeld = (pages: number, rows: number): number =>
  rows < ROWS_HELD ? 0 : Math.max(PAGES_HELD, pages);
const TABLES_SHOWN = 1000;

export interface Sent {
  output: Record<string, unknown>;
  receipt: Receipt;
}

/** Sends one DynamoDB request through the connection. */
export function send(
  connection: string,
  operation: string,
  input: Record<string, unknown>,
  signal?: AbortSignal,
): Promise<Sent> {
  const params = { path: { connection } };
  const body = { operation, input };
  return ask(
    api.POST("/c/{connection}/request", { params, body, ...(signal ? { signal } : {}) }),
  ) as Promise<Sent>;
}

export const tablesQuery = (connection: string) =>
  queryOptions({
    queryKey: ["tables", connection],
    queryFn: async ({ signal }) => {
      const names: string[] = [];
      let start: string | undefined;
      do {
        const { output } = await send(
          connection,
          "ListTables",
          start === undefined ? {} : { ExclusiveStartTableName: start },
          signal,
        );
        names.push(...(output.TableNames as string[]));
        start = output.LastEvaluatedTableName as string | undefined;
      } while (start !== undefined && names.length < TABLES_SHOWN);
      return names;
    },
  });

export const tableQuery = (connection: string, name: string) =>
  queryOptions({
    queryKey: ["table", connection, name],
    queryFn: async ({ signal }) => {
      const { output } = await send(connection, "DescribeTable", { TableName: name }, signal);
      return readTable(output.Table as Parameters<typeof readTable>[0]);
    },
    enabled: name !== "",
  });

/** One page of rows: where it starts, so that it can be read again. */
export interface PageParam {
  number: number;
  startKey: Item | undefined;
}
export interface Rows {
  items: Item[];
  next: Item | undefined;
  receipt: Receipt;
  scanned: number;
}

/** What is remembered of every page ever read: where it starts and how many rows it had. */
export interface PageMark {
  startKey: Item | undefined;
  rows: number;
}

export const rowsQuery = (
  connection: string,
  table: TableInfo,
  search: Search,
  run: number,
  marks: PageMark[],
  maxPages: number,
) =>
  infiniteQueryOptions({
    queryKey: ["rows", connection, table.name, { ...search, item: "", tab: "" }, run],
    enabled: isAsked(search),
    // Rows are replaced as a whole: comparing thousands of them with the old ones would hold the page up.
    structuralSharing: false,
    initialPageParam: { number: 0, startKey: undefined } as PageParam,
    maxPages,
    queryFn: async ({ pageParam, signal }): Promise<Rows> => {
      const { operation, input } = requestOf(table, search, pageParam.startKey);
      const { output, receipt } = await send(connection, operation, input, signal);
      const items = output.Items as Item[];
      marks[pageParam.number] = { startKey: pageParam.startKey, rows: items.length };
      return {
        items,
        next: output.LastEvaluatedKey as Item | undefined,
        receipt,
        scanned: Number(output.ScannedCount),
      };
    },
    getNextPageParam: (page, _pages, param): PageParam | undefined =>
      page.next === undefined ? undefined : { number: param.number + 1, startKey: page.next },
    getPreviousPageParam: (_page, _pages, param): PageParam | undefined =>
      param.number === 0
        ? undefined
        : { number: param.number - 1, startKey: marks[param.number - 1]?.startKey },
  });

export const itemQuery = (connection: string, table: TableInfo, key: Item) =>
  queryOptions({
    queryKey: ["item", connection, table.name, keyText(key)],
    queryFn: ({ signal }) =>
      send(connection, "GetItem", { TableName: table.name, Key: key, ConsistentRead: true }, signal),
  });

/** Most keys of one BatchGetItem. Source: API Reference, BatchGetItem. */
const BATCH_KEYS = 100;

/** The whole items behind rows of an index, by the text of their keys; strongly consistent. */
export async function readBase(
  connection: string,
  table: TableInfo,
  rows: Item[],
): Promise<Map<string, Item>> {
  const found = new Map<string, Item>();
  const keys = rows.map((row) => keyOf(table, row));
  for (let at = 0; at < keys.length; at += BATCH_KEYS) {
    let wanted: unknown = { [table.name]: { Keys: keys.slice(at, at + BATCH_KEYS), ConsistentRead: true } };
    while (wanted !== undefined) {
      const { output } = await send(connection, "BatchGetItem", { RequestItems: wanted });
      for (const item of (output.Responses as Record<string, Item[]>)[table.name] ?? [])
        found.set(keyText(keyOf(table, item)), item);
      const left = output.UnprocessedKeys as Record<string, unknown> | undefined;
      wanted = left && Object.keys(left).length > 0 ? left : undefined;
    }
  }
  return found;
}
