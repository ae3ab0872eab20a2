/** What a file seems to be, from its first bytes. */

export type Format = "csv" | "json" | "dynamodb";
export type ColumnType = "S" | "N" | "BOOL" | "JSON" | "B" | "skip";
export interface Column {
  name: string;
  type: ColumnType;
  /** The first value that is not empty. */
  example: string;
}
export interface Sample {
  format: Format;
  /** Of CSV. */
  columns: Column[];
  /** The first line, of the others. */
  first: string;
}

export const columnTypes: ColumnType[] = ["S", "N", "BOOL", "JSON", "B", "skip"];

/** Rows that types are guessed from. */
const ROWS = 200;

/** The records of a CSV text, the last one left out where it may be cut. */
export function csvRecords(text: string, most: number): string[][] {
  const records: string[][] = [];
  let [record, field, quoted] = [[] as string[], "", false];
  for (let at = 0; at < text.length && records.length < most; at += 1) {
    const c = text[at];
    if (quoted) {
      if (c !== '"') field += c;
      else if (text[at + 1] === '"') {
        field += '"';
        at += 1;
      } else quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === ",") {
      record.push(field);
      field = "";
    } else if (c === "\n") {
      records.push([...record, field.replace(/\r$/, "")]);
      [record, field] = [[], ""];
    } else field += c;
  }
  if (field !== "" && records.length < most) records.push([...record, field]);
  return records;
}

/** A number as DynamoDB prints it: what would come back otherwise than it is written stays text. */
const NUMBER = /^-?(0|[1-9]\d{0,37})(\.\d{0,36}[1-9])?$/;

function typeOf(values: string[]): ColumnType {
  const given = values.filter((value) => value !== "");
  if (given.length === 0) return "S";
  if (given.every((value) => NUMBER.test(value))) return "N";
  if (given.every((value) => value === "true" || value === "false")) return "BOOL";
  if (given.every((value) => /^\{"(S|N|B|BOOL|NULL|M|L|SS|NS|BS)":/.test(value))) return "JSON";
  return "S";
}

const TYPES = new Set(["S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"]);

/** Whether every attribute is an object of one member that names a type. */
function isDynamo(line: string): boolean {
  try {
    const whole = JSON.parse(line);
    const item = Object.keys(whole).length === 1 && "Item" in whole ? whole.Item : whole;
    return Object.values(item as object).every((value) => {
      const names = typeof value === "object" && value !== null ? Object.keys(value) : [];
      return names.length === 1 && TYPES.has(names[0] ?? "");
    });
  } catch {
    return false;
  }
}

/** Guesses from the name and the first bytes. `keys` are the key attributes with their types. */
export function sampleOf(name: string, text: string, keys: Map<string, string>, wanted?: Format): Sample {
  const bare = text.replace(/^\uFEFF/, "");
  const first = bare.slice(0, bare.indexOf("\n") === -1 ? undefined : bare.indexOf("\n")).trim();
  const guess =
    !first.startsWith("{") || /\.csv$/i.test(name) ? "csv" : isDynamo(first) ? "dynamodb" : "json";
  const format = wanted ?? guess;
  if (format !== "csv") return { format, columns: [], first };
  const [header = [], ...rows] = csvRecords(bare, ROWS);
  const columns = header.map((column, at): Column => {
    const values = rows.map((row) => row[at] ?? "");
    const type = (keys.get(column) as ColumnType | undefined) ?? typeOf(values);
    return { name: column, type, example: values.find((value) => value !== "") ?? "" };
  });
  return { format, columns, first };
}

/** What one write unit writes. Source: Developer Guide, write capacity. */
const UNIT_BYTES = 1024;

/** About how many items a file of so many bytes has, and the write units that they take, from how it begins. */
export function priceOf(text: string, bytes: number, header: boolean): { rows: number; units: number } {
  const encoder = new TextEncoder();
  const seen = encoder.encode(text).length;
  const lines = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => encoder.encode(line).length + 1);
  const rows = lines.slice(header ? 1 : 0);
  if (rows.length === 0 || seen === 0) return { rows: 0, units: 0 };
  const times = Math.max(1, bytes / seen);
  const units = rows.reduce((sum, length) => sum + Math.ceil(length / UNIT_BYTES), 0);
  return { rows: Math.round(rows.length * times), units: Math.round(units * times) };
}

/** Bytes as people read them. */
export function sizeText(bytes: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  const at = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  const n = bytes / 1024 ** at;
  return `${at === 0 || n >= 100 ? Math.round(n) : n.toFixed(1)} ${units[at]}`;
}
