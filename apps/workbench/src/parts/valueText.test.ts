import { describe, expect, it } from "vitest";
import { numberFault, parseValue, typedText } from "./valueText";

describe("numbers are checked on their text", () => {
  it.each([
    ["12345678901234567890123456789012345678", null],
    ["123456789012345678901234567890123456789", "digits"],
    ["1e125", null],
    ["1e126", "range"],
    ["1e-130", null],
    ["1e-131", "range"],
    ["0.00100", null],
    ["-0", null],
    ["1,5", "number"],
    ["NaN", "number"],
    ["", "number"],
    ["100000000000000000000000000000000000000000000", null],
  ])("%s: %s", (text, fault) => expect(numberFault(text)).toBe(fault));
});

describe("values survive editing", () => {
  it.each([
    { S: "a,b#c/日本語" },
    { N: "12345678901234567890123456789012345678" },
    { B: "AAEC" },
    { BOOL: true },
    { NULL: true },
    { SS: ["a", "b"] },
    { NS: ["1", "2.5"] },
    { BS: ["AAEC"] },
    { L: [{ S: "a" }, { M: { n: { N: "1" } } }] },
    { M: { a: { L: [] }, b: { NULL: true } } },
  ])("%j", (value) => {
    const [type] = Object.keys(value);
    expect(parseValue(type as "S", typedText(value))).toEqual({ value });
  });
  it.each([
    ["NS", "1\n1", "duplicate"],
    ["SS", "", "emptySet"],
    ["B", "a", "base64"],
    ["M", '{"a": 1}', "json"],
    ["L", "{}", "json"],
    ["BOOL", "yes", "boolean"],
  ] as const)("%s %j is refused: %s", (type, text, fault) =>
    expect(parseValue(type, text)).toEqual({ fault }),
  );
});
