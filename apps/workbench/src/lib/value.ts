import type { AttributeValue } from "../api/client";

export type TypeName = "S" | "N" | "B" | "BOOL" | "NULL" | "SS" | "NS" | "BS" | "L" | "M";

/** The type descriptor and the raw content of a DynamoDB JSON value. */
export function open(value: AttributeValue): { type: TypeName; raw: unknown } {
  const [type = "NULL"] = Object.keys(value);
  return { type: type as TypeName, raw: value[type] };
}

/** One line of text for a value; numbers are printed as they came. */
export const text = (value: AttributeValue): string => print(value, Number.POSITIVE_INFINITY);

/** The same, cut where it is longer than `most` characters. */
export function brief(value: AttributeValue, most: number): string {
  const whole = print(value, most);
  return whole.length > most ? `${whole.slice(0, most)}…` : whole;
}

/** At least `most` characters, where there are as many: what follows them is not looked at. */
function print(value: AttributeValue, most: number): string {
  const { type, raw } = open(value);
  switch (type) {
    case "NULL":
      return "null";
    case "BOOL":
      return String(raw);
    case "SS":
    case "NS":
    case "BS":
      return `{${joined(raw as string[], most, (member) => member)}}`;
    case "L":
      return `[${joined(raw as AttributeValue[], most, print)}]`;
    case "M":
      return `{${joined(Object.entries(raw as Record<string, AttributeValue>), most, ([k, v], left) => `${k}: ${print(v, left)}`)}}`;
    default:
      return String(raw);
  }
}

function joined<T>(members: T[], most: number, print: (member: T, left: number) => string): string {
  let line = "";
  for (const [at, member] of members.entries()) {
    if (line.length > most) break;
    line += `${at === 0 ? "" : ", "}${print(member, most - line.length)}`;
  }
  return line;
}

/** Epoch seconds as a UTC time, where the name says that it is one and the number can be one. */
export function asTime(name: string, value: AttributeValue): string | null {
  const { type, raw } = open(value);
  if (type !== "N" || !/(At|On|Time|Date)$/.test(name)) return null;
  const seconds = Number(raw);
  if (!Number.isInteger(seconds) || seconds < 100_000_000 || seconds > 9_999_999_999) return null;
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ");
}
