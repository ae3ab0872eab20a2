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
  /** The chosen row: its key as text, or `new`. */
  item: string;
  /** A Scan was asked for: without it, and without a key, nothing is read. */
  scan: boolean;
  /** Filters as text: see [readFilters]. */
  filter: string;
  /** What is shown of the table. */
  tab: "" | "structure" | "records";
}

export const emptySearch: Search = {
  index: "",
  pk: "",
  op: "begins_with",
  sk: "",
  sk2: "",
  desc: false,
  item: "",
  scan: false,
  filter: "",
  tab: "",
};

/** Operators of a filter; the last two take no value. */
export const filterOperators = [
  "=",
  "<>",
  "<",
  "<=",
  ">",
  ">=",
  "begins_with",
  "contains",
  "attribute_exists",
  "attribute_not_exists",
] as const;
export type FilterOperator = (typeof filterOperators)[number];
export interface Filter {
  name: string;
  op: FilterOperator;
  type: "S" | "N" | "BOOL";
  text: string;
}

/** The filters of an address; a text from elsewhere that is none filters nothing. */
export function readFilters(text: string): Filter[] {
  try {
    const rows = JSON.parse(text) as string[][];
    return rows.flatMap(([name = "", op = "", type = "", value = ""]) => {
      const known = filterOperators.find((o) => o === op);
      const of = (["S", "N", "BOOL"] as const).find((t) => t === type);
      return known && of && name !== "" ? [{ name, op: known, type: of, text: value }] : [];
    });
  } catch {
    return [];
  }
}

export const writeFilters = (filters: Filter[]): string =>
  filters.length === 0 ? "" : JSON.stringify(filters.map((f) => [f.name, f.op, f.type, f.text]));

/** Whether a search says what to read. */
export const isAsked = (search: Search): boolean => search.pk !== "" || search.scan;

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
    scan: raw.scan === "1" || raw.scan === true,
    filter: word(raw.filter),
    tab: raw.tab === "structure" || raw.tab === "records" ? raw.tab : "",
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
  const names = new Placeholders();
  const filters = readFilters(search.filter);
  const filter = filters.map((f) => filterText(f, names)).join(" AND ");
  const common = {
    TableName: table.name,
    // With a filter a page is what DynamoDB reads in one request: a limit would count what the filter drops.
    ...(filters.length === 0 ? { Limit: PAGE_ROWS } : { FilterExpression: filter }),
    ...(index ? { IndexName: index.name } : {}),
    ...(startKey === undefined ? {} : { ExclusiveStartKey: startKey }),
  };
  if (search.pk === "") return { operation: "Scan", input: { ...common, ...names.members() } };
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

function filterText({ name, op, type, text }: Filter, names: Placeholders): string {
  const path = names.name(name);
  const value = () => names.value({ [type]: type === "BOOL" ? text === "true" : text } as AttributeValue);
  if (op === "attribute_exists" || op === "attribute_not_exists") return `${op}(${path})`;
  if (op === "begins_with" || op === "contains") return `${op}(${path}, ${value()})`;
  return `${path} ${op} ${value()}`;
}
