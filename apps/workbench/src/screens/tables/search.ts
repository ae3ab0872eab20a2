import type { AttributeValue } from "../../api/client";
import { Placeholders } from "../../lib/expression";
import type { KeyPart, TableInfo } from "./schema";

export const sortOperators = ["=", "<", "<=", ">", ">=", "between", "begins_with"] as const;
export type SortOperator = (typeof sortOperators)[number];

/** What the query bar asks for: it lives in the URL. */
export interface Search {
  index: string;
  pk: string;
  op: SortOperator;
  sk: string;
  sk2: string;
  desc: boolean;
  /** The chosen row: its key as text. */
  item: string;
}

const word = (value: unknown) => (typeof value === "string" ? value : "");

export function readSearch(raw: Record<string, unknown>): Search {
  const op = sortOperators.find((o) => o === raw.op) ?? "begins_with";
  return {
    index: word(raw.index),
    pk: word(raw.pk),
    op,
    sk: word(raw.sk),
    sk2: word(raw.sk2),
    desc: raw.desc === "1" || raw.desc === true,
    item: word(raw.item),
  };
}

export const PAGE_ROWS = 200;

/** The request that a search is: a Query where a partition key is given, otherwise a Scan. */
export function requestOf(
  table: TableInfo,
  search: Search,
  startKey: unknown,
): { operation: "Query" | "Scan"; input: Record<string, unknown> } {
  const index = table.indexes.find((i) => i.name === search.index);
  const keys = index?.keys ?? table.keys;
  const common = {
    TableName: table.name,
    Limit: PAGE_ROWS,
    ...(index ? { IndexName: index.name } : {}),
    ...(startKey === undefined ? {} : { ExclusiveStartKey: startKey }),
  };
  if (search.pk === "") return { operation: "Scan", input: common };
  const names = new Placeholders();
  const typed = (part: KeyPart, text: string): string => names.value({ [part.type]: text } as AttributeValue);
  let condition = `${names.name(keys.hash.name)} = ${typed(keys.hash, search.pk)}`;
  if (keys.range !== null && search.sk !== "") {
    const name = names.name(keys.range.name);
    const first = typed(keys.range, search.sk);
    if (search.op === "begins_with") condition += ` AND begins_with(${name}, ${first})`;
    else if (search.op === "between")
      condition += ` AND ${name} BETWEEN ${first} AND ${typed(keys.range, search.sk2)}`;
    else condition += ` AND ${name} ${search.op} ${first}`;
  }
  return {
    operation: "Query",
    input: {
      ...common,
      KeyConditionExpression: condition,
      ...names.members(),
      ...(search.desc ? { ScanIndexForward: false } : {}),
    },
  };
}
