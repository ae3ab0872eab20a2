import { useMemo, useRef } from "react";
import type { Item } from "../../api/client";
import { attributesOf, type Column, columnsOf } from "./columns";
import type { TableInfo } from "./schema";

const NONE: readonly string[] = [];

/** The columns of what was read: pages that come add theirs at the end, pages that go take none away. */
export function useColumns(table: TableInfo, indexName: string, items: Item[]): Column[] {
  const known = useRef(NONE);
  // A new question begins with no rows.
  const attributes = items.length === 0 ? NONE : attributesOf(table, indexName, known.current, items);
  known.current = attributes;
  return useMemo(() => columnsOf(table, indexName, attributes), [table, indexName, attributes]);
}
