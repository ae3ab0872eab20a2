import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Item, Receipt } from "../../api/client";
import { type PageMark, type PageParam, pagesHeld, rowsQuery } from "./data";
import type { TableInfo } from "./schema";
import { isAsked, type Search } from "./search";

/** Rows from the window's ends at which the next page is asked for. */
const AHEAD = 40;
const NONE: Item[] = [];

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
  /** Says which rows are in sight, counted over all that was read: pages around them are fetched. */
  inSight: (top: number, bottom: number) => void;
}

export function useRows(connection: string, table: TableInfo, search: Search, run: number): Window {
  // A new search begins with no pages. The chosen row and the tab are no part of it.
  const asked = JSON.stringify([connection, table.name, { ...search, item: "", tab: "" }, run]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new list of marks for every question
  const marks = useMemo((): PageMark[] => [], [asked]);
  const [sight, setSight] = useState({ top: 0, bottom: 0 });
  const [stopped, setStopped] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new question starts from the top, and runs
  useEffect(() => {
    setStopped(false);
    setSight({ top: 0, bottom: 0 });
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

  const { isFetching, hasNextPage, hasPreviousPage, fetchNextPage, fetchPreviousPage } = rows;
  const idle = !isFetching && !stopped && rows.error === null && isAsked(search);
  useEffect(() => {
    if (!idle || data === undefined) return;
    if (hasNextPage && sight.bottom >= total - AHEAD) fetchNextPage();
    else if (hasPreviousPage && before > 0 && sight.top < before + AHEAD) fetchPreviousPage();
  }, [idle, data, sight, total, before, hasNextPage, hasPreviousPage, fetchNextPage, fetchPreviousPage]);

  const { queryKey } = query;
  return {
    items,
    before,
    scanned,
    more: hasNextPage,
    running: isFetching || (idle && data !== undefined && hasNextPage && sight.bottom >= total - AHEAD),
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
    retry: () => rows.refetch(),
    inSight: useCallback(
      (top: number, bottom: number) =>
        setSight((now) => (now.top === top && now.bottom === bottom ? now : { top, bottom })),
      [],
    ),
  };
}
