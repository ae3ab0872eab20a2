import type { AttributeValue, Item } from "../api/client";
import { numberFault } from "../parts/valueText";
import { open } from "./value";

/** Why a text is no item, as a key of the messages. */
export type PlainFault = "plain" | "object" | "twice" | "digits" | "range";

/** Text that is not JSON, or holds what no item can; `at` is the offset in the text. */
export class PlainJsonError extends Error {
  readonly fault: PlainFault;
  readonly at: number;
  constructor(fault: PlainFault, at: number) {
    super(`${fault} at ${at}`);
    this.fault = fault;
    this.at = at;
  }
}

/** An item as people write JSON: numbers as they are, sets as lists, binary as Base64. */
export function printPlain(item: Item): string {
  return printMembers(Object.entries(item), "");
}

function print(value: AttributeValue, indent: string): string {
  const { type, raw } = open(value);
  switch (type) {
    case "N":
      return String(raw);
    case "BOOL":
      return String(raw);
    case "NULL":
      return "null";
    case "M":
      return printMembers(Object.entries(raw as Item), indent);
    case "L":
      return printList(
        (raw as AttributeValue[]).map((v) => print(v, `${indent}  `)),
        indent,
      );
    case "NS":
      return printList(raw as string[], indent);
    case "SS":
    case "BS":
      return printList(
        (raw as string[]).map((member) => JSON.stringify(member)),
        indent,
      );
    default:
      return JSON.stringify(raw);
  }
}

function printMembers(members: [string, AttributeValue][], indent: string): string {
  if (members.length === 0) return "{}";
  const inner = `${indent}  `;
  const lines = members.map(([name, value]) => `${inner}${JSON.stringify(name)}: ${print(value, inner)}`);
  return `{\n${lines.join(",\n")}\n${indent}}`;
}

function printList(members: string[], indent: string): string {
  if (members.length === 0) return "[]";
  const inner = `${indent}  `;
  return `[\n${members.map((m) => inner + m).join(",\n")}\n${indent}]`;
}

/**
 * Plain JSON to an item. Numbers stay the text they are, whatever their length. Plain JSON has no sets and no binary:
 * where the value before was one and the text still fits it, it stays one.
 */
export function parsePlain(text: string, before: Item | null): Item {
  const reader = new Reader(text);
  const value = reader.value(before === null ? undefined : { M: before });
  reader.end();
  if (!("M" in value)) throw new PlainJsonError("object", 0);
  return value.M as Item;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  end(): void {
    this.#space();
    if (this.#at < this.#text.length) this.#fail();
  }

  value(before: AttributeValue | undefined): AttributeValue {
    this.#space();
    const first = this.#text[this.#at];
    if (first === "{") return { M: this.#members(before && "M" in before ? (before.M as Item) : {}) };
    if (first === "[") return this.#list(before);
    if (first === '"') return this.#string(before);
    for (const [word, value] of [
      ["true", { BOOL: true }],
      ["false", { BOOL: false }],
      ["null", { NULL: true }],
    ] as const)
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    return this.#number();
  }

  #space(): void {
    while (/[ \t\n\r]/.test(this.#text[this.#at] ?? "")) this.#at += 1;
  }

  #fail(fault: PlainFault = "plain"): never {
    throw new PlainJsonError(fault, this.#at);
  }

  #take(char: string): boolean {
    this.#space();
    if (this.#text[this.#at] !== char) return false;
    this.#at += 1;
    return true;
  }

  #members(before: Item): Item {
    this.#at += 1;
    const members: [string, AttributeValue][] = [];
    if (this.#take("}")) return {};
    do {
      this.#space();
      const name = this.#text[this.#at] === '"' ? this.#literal() : this.#fail();
      if (members.some(([known]) => known === name)) this.#fail("twice");
      if (!this.#take(":")) this.#fail();
      members.push([name, this.value(before[name])]);
    } while (this.#take(","));
    if (!this.#take("}")) this.#fail();
    // fromEntries makes own members of every name, __proto__ included.
    return Object.fromEntries(members);
  }

  #list(before: AttributeValue | undefined): AttributeValue {
    this.#at += 1;
    const members: AttributeValue[] = [];
    const olds = before && "L" in before ? (before.L as AttributeValue[]) : [];
    if (!this.#take("]")) {
      do members.push(this.value(olds[members.length]));
      while (this.#take(","));
      if (!this.#take("]")) this.#fail();
    }
    return stillSet(members, before) ?? { L: members };
  }

  #string(before: AttributeValue | undefined): AttributeValue {
    const text = this.#literal();
    return before && "B" in before && isBase64(text) ? { B: text } : { S: text };
  }

  #literal(): string {
    // What a string may not hold is left to JSON.parse.
    const found = /"(?:[^"\\]|\\.)*"/y;
    found.lastIndex = this.#at;
    const [literal] = found.exec(this.#text) ?? this.#fail();
    try {
      const text = JSON.parse(literal) as string;
      this.#at += literal.length;
      return text;
    } catch {
      return this.#fail();
    }
  }

  #number(): AttributeValue {
    const found = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
    found.lastIndex = this.#at;
    const [number] = found.exec(this.#text) ?? this.#fail();
    const fault = numberFault(number);
    if (fault !== null) this.#fail(fault === "digits" || fault === "range" ? fault : "plain");
    this.#at += number.length;
    return { N: number };
  }
}

const isBase64 = (text: string) =>
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text);

/** The list as the set that it was, where every member still fits and none stands twice. */
function stillSet(members: AttributeValue[], before: AttributeValue | undefined): AttributeValue | null {
  const type = before && ["SS", "NS", "BS"].find((name) => name in before);
  if (type === undefined || members.length === 0) return null;
  const member = type === "NS" ? "N" : "S";
  const texts = members.flatMap((m) => (member in m ? [String(m[member])] : []));
  if (texts.length < members.length || new Set(texts).size < texts.length) return null;
  return type === "BS" && !texts.every(isBase64) ? null : { [type]: texts };
}
