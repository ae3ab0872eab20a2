import { expect, test } from "vitest";
import { changesOf, kindOf } from "./diff";

test("a difference is told attribute by attribute", () => {
  const before = { pk: { S: "a" }, n: { N: "1" }, gone: { BOOL: true } };
  const now = { pk: { S: "a" }, n: { N: "2" }, fresh: { S: "x" } };
  expect(changesOf(before, now)).toEqual([
    { name: "fresh", before: undefined, now: { S: "x" } },
    { name: "gone", before: { BOOL: true }, now: undefined },
    { name: "n", before: { N: "1" }, now: { N: "2" } },
  ]);
  expect(changesOf(null, now)).toHaveLength(3);
  expect([kindOf(null, now), kindOf(before, now), kindOf(before, null)]).toEqual([
    "added",
    "changed",
    "gone",
  ]);
});
