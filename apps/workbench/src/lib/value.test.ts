import { describe, expect, it } from "vitest";
import { fromHalves, halves } from "./units";
import { asTime, brief, text } from "./value";

describe("values as one line of text", () => {
  it.each([
    [{ S: "日本語 #,/" }, "日本語 #,/"],
    [{ N: "12345678901234567890123456789012345678" }, "12345678901234567890123456789012345678"],
    [{ NS: ["1", "2.50"] }, "{1, 2.50}"],
    [{ BOOL: false }, "false"],
    [{ NULL: true }, "null"],
    [{ L: [{ S: "a" }, { M: { b: { N: "1" } } }] }, "[a, {b: 1}]"],
  ])("%j", (value, want) => expect(text(value)).toBe(want));
});

describe("a long value", () => {
  const nested = (depth: number): Record<string, unknown> =>
    depth === 0 ? { S: "x" } : { L: [nested(depth - 1)] };
  it.each([
    ["a text", { S: "x".repeat(400_000) }],
    ["a set", { NS: Array.from({ length: 20_000 }, (_, n) => String(n)) }],
    ["a map", { M: Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`name${n}`, { S: "value" }])) }],
    ["a hundred lists in each other", nested(100)],
  ])("%s is cut where there is no room for more", (_, value) => {
    const words = brief(value, 40);
    expect(words).toHaveLength(41);
    expect(text(value).startsWith(words.slice(0, -1))).toBe(true);
  });
});

describe("times", () => {
  it("shows an epoch in UTC beside the number", () =>
    expect(asTime("createdAt", { N: "1718900000" })).toBe("2024-06-20 16:13:20"));
  it.each([
    ["count", { N: "1718900000" }],
    ["createdAt", { S: "1718900000" }],
    ["createdAt", { N: "42" }],
    ["createdAt", { N: "1718900000.5" }],
  ])("leaves %s %j alone", (name, value) => expect(asTime(name, value)).toBeNull());
});

describe("units", () => {
  it.each(["0", "0.5", "1", "12.5", "4096"])("%s survives", (units) =>
    expect(fromHalves(halves(units))).toBe(units),
  );
});
