import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Item, Receipt } from "../../api/client";
import { type PageMark, type PageParam, pagesHeld, rowsQuery } from "./data";
import type { TableInfo } from "./schema";
import { isAsked, type Search } from "./search";

/** Rows from the window's ends at which the next page is asked for. */
const AHEAD = 40;
const NONE: Item[] = [];
const START = { top: 0, bottom: 0 };

/** What of a table or an index is in memory, and where it stands in all that was read. */
export interface Window {
  items: Item[];
  /** Rows that were read before these and let go. */
  before: number;
  /** Items that DynamoDB looked at for the pages in memory. */
  scanned: number;
  more: boolean;
  /** A page is under way, or the next follows because the rows so far fill no screen. */
  running: boolean;
  /** Reading was cancelled by the user: nothing is asked for until it goes on. */
  stopped: boolean;
  error: Error | null;
  receipt: Receipt | undefined;
  cancel: () => void;
  resume: () => void;
  retry: () => void;
  /** Reads from the first row again, where pages before those in memory were let go. */
  restart: () => void;
  /** Says which rows are in sight, counted over all that was read: pages around them are fetched. */
  inSight: (top: number, bottom: number) => void;
}

/** The end of what is in memory that is nearly in sight. */
const edgeOf = ({ top, bottom }: typeof START, before: number, total: number) => {
  if (bottom >= total - AHEAD) return "bottom";
  return before > 0 && top < before + AHEAD ? "top" : null;
};

export function useRows(connection: string, table: TableInfo, search: Search, run: number): Window {
  // A new search begins with no pages. The chosen row and the tab are no part of it.
  const asked = JSON.stringify([connection, table.name, { ...search, item: "", tab: "" }, run]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new list of marks for every question
  const marks = useMemo((): PageMark[] => [], [asked]);
  const sight = useRef(START);
  const [stopped, setStopped] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new question starts from the top, and runs
  useEffect(() => {
    setStopped(false);
    sight.current = START;
  }, [asked]);
  const client = useQueryClient();
  const held = useRef(0);
  const query = rowsQuery(connection, table, search, run, marks, held.current);
  const rows = useInfiniteQuery(query);

  const { data } = rows;
  const firstPage = (data?.pageParams[0] as PageParam | undefined)?.number ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: marks grow only with the data
  const before = useMemo(() => marks.slice(0, firstPage).reduce((n, mark) => n + mark.rows, 0), [data]);
  const items = useMemo(() => data?.pages.flatMap((page) => page.items) ?? NONE, [data]);
  const scanned = useMemo(() => data?.pages.reduce((n, page) => n + page.scanned, 0) ?? 0, [data]);
  const total = before + items.length;
  held.current = pagesHeld(data?.pages.length ?? 0, items.length);

  // A scroll is no reason to draw anything again here until it comes to an end of what is in memory.
  const edge = edgeOf(sight.current, before, total);
  const known = useRef({ before, total, edge });
  known.current = { before, total, edge };
  const [, lookAgain] = useState(0);
  const inSight = useCallback((top: number, bottom: number) => {
    sight.current = { top, bottom };
    const now = known.current;
    if (edgeOf(sight.current, now.before, now.total) !== now.edge) lookAgain((n) => n + 1);
  }, []);

  const { isFetching, hasNextPage, hasPreviousPage, fetchNextPage, fetchPreviousPage } = rows;
  const idle = !isFetching && !stopped && rows.error === null && isAsked(search);
  useEffect(() => {
    if (!idle || data === undefined) return;
    if (hasNextPage && edge === "bottom") fetchNextPage();
    else if (hasPreviousPage && edge === "top") fetchPreviousPage();
  }, [idle, data, edge, hasNextPage, hasPreviousPage, fetchNextPage, fetchPreviousPage]);

  const again = rows.isFetchPreviousPageError ? fetchPreviousPage : fetchNextPage;
  const { queryKey } = query;
  return {
    items,
    before,
    scanned,
    more: hasNextPage,
    running: isFetching || (idle && data !== undefined && hasNextPage && edge === "bottom"),
    stopped,
    error: rows.error,
    receipt: data?.pages.at(-1)?.receipt,
    cancel: () => {
      setStopped(true);
      client.cancelQueries({ queryKey });
    },
    resume: () => {
      setStopped(false);
      if (data === undefined) rows.refetch();
    },
    // What was read before stays: only the page that failed is asked for again.
    retry: () => (data === undefined ? rows.refetch() : again()),
    restart: () => {
      setStopped(false);
      sight.current = START;
      marks.length = 0;
      // Page by page backwards would be as many requests as were scrolled past.
      void client.resetQueries({ queryKey, exact: true });
    },
    inSight,
  };
}
