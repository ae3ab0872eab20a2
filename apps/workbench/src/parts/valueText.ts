import type { AttributeValue } from "../api/client";
import { open, type TypeName } from "../lib/value";

export const typeNames: TypeName[] = ["S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"];

export type Fault = "number" | "digits" | "range" | "base64" | "boolean" | "emptySet" | "duplicate" | "json";
type Parsed = { value: AttributeValue } | { fault: Fault };

/** A value as editable text: sets one member a line, lists and maps as DynamoDB JSON. */
export function typedText(value: AttributeValue): string {
  const { type, raw } = open(value);
  if (type === "NULL") return "";
  if (type === "L" || type === "M") return JSON.stringify(raw, null, 2);
  if (type === "SS" || type === "NS" || type === "BS") return (raw as string[]).join("\n");
  return String(raw);
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
/** Source: Developer Guide, "Naming rules and data types", Number. */
const DIGITS = 38;
const LARGEST_EXPONENT = 125;
const SMALLEST_EXPONENT = -130;

/** Checks a number as DynamoDB does, on its text: no floating point is involved. */
export function numberFault(text: string): Fault | null {
  if (!NUMBER.test(text)) return "number";
  const [mantissa = "", exponent = "0"] = text.replace(/^[+-]/, "").toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = `${whole}${fraction}`.replace(/^0+/, "").replace(/0+$/, "");
  if (digits === "") return null;
  if (digits.length > DIGITS) return "digits";
  const leading = `${whole}${fraction}`.search(/[1-9]/);
  const magnitude = whole.length - leading - 1 + Number(exponent);
  return magnitude > LARGEST_EXPONENT || magnitude < SMALLEST_EXPONENT ? "range" : null;
}

const isBase64 = (text: string) =>
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text);

function checkMember(type: string, text: string): Fault | null {
  if (type.startsWith("N")) return numberFault(text);
  return type.startsWith("B") && !isBase64(text) ? "base64" : null;
}

/** Text back to a value, or what is wrong with it. */
export function parseValue(type: TypeName, text: string): Parsed {
  switch (type) {
    case "S":
      return { value: { S: text } };
    case "N":
    case "B": {
      const fault = checkMember(type, text.trim());
      return fault ? { fault } : { value: { [type]: text.trim() } };
    }
    case "BOOL":
      return /^(true|false)$/.test(text.trim())
        ? { value: { BOOL: text.trim() === "true" } }
        : { fault: "boolean" };
    case "NULL":
      return { value: { NULL: true } };
    case "L":
    case "M":
      return parseTree(type, text);
    default: {
      const members = text.split("\n").filter((m) => m !== "");
      if (members.length === 0) return { fault: "emptySet" };
      if (new Set(members).size < members.length) return { fault: "duplicate" };
      const fault = members.map((m) => checkMember(type, m)).find((f) => f !== null);
      return fault ? { fault } : { value: { [type]: members } };
    }
  }
}

function parseTree(type: "L" | "M", text: string): Parsed {
  try {
    const raw: unknown = JSON.parse(text);
    const members = type === "L" ? raw : Object.values(raw as object);
    const right =
      type === "L" ? Array.isArray(raw) : typeof raw === "object" && raw !== null && !Array.isArray(raw);
    if (!right || !(members as unknown[]).every(isTyped)) return { fault: "json" };
    return { value: { [type]: raw } };
  } catch {
    return { fault: "json" };
  }
}

/** Whether something is one typed value in DynamoDB JSON. */
export function isTyped(value: unknown): value is AttributeValue {
  if (typeof value !== "object" || value === null) return false;
  const keys = Object.keys(value);
  const [type] = keys;
  if (keys.length !== 1 || !typeNames.includes(type as TypeName)) return false;
  const raw = (value as Record<string, unknown>)[type as string];
  if (type === "L") return Array.isArray(raw) && raw.every(isTyped);
  if (type === "M") return typeof raw === "object" && raw !== null && Object.values(raw).every(isTyped);
  if (type === "BOOL" || type === "NULL") return typeof raw === "boolean";
  if (type === "SS" || type === "NS" || type === "BS")
    return (
      Array.isArray(raw) && raw.length > 0 && raw.every((m) => typeof m === "string" && !checkMember(type, m))
    );
  return typeof raw === "string" && checkMember(type as string, raw) === null;
}
