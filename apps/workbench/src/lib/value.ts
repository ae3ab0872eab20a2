import type { AttributeValue } from "../api/client";

export type TypeName = "S" | "N" | "B" | "BOOL" | "NULL" | "SS" | "NS" | "BS" | "L" | "M";

/** The type descriptor and the raw content of a DynamoDB JSON value. */
export function open(value: AttributeValue): { type: TypeName; raw: unknown } {
  const [type = "NULL"] = Object.keys(value);
  return { type: type as TypeName, raw: value[type] };
}

/** One line of text for a value; numbers are printed as they came. */
export function text(value: AttributeValue): string {
  const { type, raw } = open(value);
  switch (type) {
    case "NULL":
      return "null";
    case "BOOL":
      return String(raw);
    case "SS":
    case "NS":
    case "BS":
      return `{${(raw as string[]).join(", ")}}`;
    case "L":
      return `[${(raw as AttributeValue[]).map(text).join(", ")}]`;
    case "M":
      return `{${Object.entries(raw as Record<string, AttributeValue>)
        .map(([k, v]) => `${k}: ${text(v)}`)
        .join(", ")}}`;
    default:
      return String(raw);
  }
}

/** Epoch seconds as a UTC time, where the name says that it is one and the number can be one. */
export function asTime(name: string, value: AttributeValue): string | null {
  const { type, raw } = open(value);
  if (type !== "N" || !/(At|On|Time|Date)$/.test(name)) return null;
  const seconds = Number(raw);
  if (!Number.isInteger(seconds) || seconds < 100_000_000 || seconds > 9_999_999_999) return null;
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ");
}
