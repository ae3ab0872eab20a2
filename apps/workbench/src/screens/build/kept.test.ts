import { expect, it } from "vitest";
import type { Built } from "./data";
import { fits, MOST_CHARACTERS, readable, withFirst } from "./kept";

const built = (input: unknown, operation = "Query") =>
  ({ operation, input, sentence: `says ${JSON.stringify(input)}` }) as Built;

it("a request stands once in the list, the newest first, and the oldest leave", () => {
  let list = withFirst([], built({ a: 1 }), 1, 2);
  list = withFirst(list, built({ a: 2 }), 2, 2);
  list = withFirst(list, built({ a: 1 }), 3, 2);
  expect(list.map((each) => [each.input, each.at])).toEqual([
    [{ a: 1 }, 3],
    [{ a: 2 }, 2],
  ]);
  list = withFirst(list, built({ a: 1 }, "Scan"), 4, 2);
  expect(list.map((each) => each.operation)).toEqual(["Scan", "Query"]);
  expect(new Set(list.map((each) => each.id)).size).toBe(2);
});

it("what is too large for the browser is not kept", () => {
  const large = built({ text: "x".repeat(MOST_CHARACTERS) });
  expect(fits(large)).toBe(false);
  expect(withFirst([], large, 1, 9)).toEqual([]);
});

it("a kept request is read back as the text of a request", () => {
  const [first] = withFirst([], built({ TableName: "t" }, "Scan"), 1, 9);
  expect(JSON.parse(first ? readable(first) : "")).toEqual({ Scan: { TableName: "t" } });
});
