import { expect, test } from "vitest";
import { emptyLive, readLive } from "./search";
import { passing, ratesOf, rateText, type SeenRequest } from "./seen";

const seen = (number: number, more: Partial<SeenRequest> = {}): SeenRequest => ({
  number,
  at: number * 1000,
  operation: "Query",
  tables: ["follow"],
  index: "GSI1",
  key: "GSI1PK = TARGET#bob",
  error: null,
  count: 2,
  scanned: 2,
  read_units: "0.5",
  write_units: "0",
  micros: 400,
  ...more,
});

test("a filter takes table, operation, errors and words together", () => {
  const rows = [
    seen(3, { operation: "PutItem", error: "ConditionalCheckFailedException", key: "PK = A" }),
    seen(2, { tables: ["school"], index: null, key: null }),
    seen(1),
  ];
  const numbers = (more: object) => passing(rows, { ...emptyLive, ...more }).map((r) => r.number);
  expect(numbers({})).toEqual([3, 2, 1]);
  expect(numbers({ table: "school" })).toEqual([2]);
  expect(numbers({ op: "PutItem" })).toEqual([3]);
  expect(numbers({ failed: true })).toEqual([3]);
  expect(numbers({ find: "BOB gsi1" })).toEqual([1]);
  expect(numbers({ find: "conditional follow" })).toEqual([3]);
  expect(numbers({ table: "school", failed: true })).toEqual([]);
});

test("rates are of the last ten seconds", () => {
  const rows = [seen(20, { write_units: "3" }), seen(15, { error: "X" }), seen(1)];
  expect(ratesOf(rows, 20_000)).toEqual({ requests: 0.2, rcu: 0.1, wcu: 0.3, errors: 1 });
  expect([0, 0.26, 9.99, 123.4].map(rateText)).toEqual(["0", "0.3", "10.0", "123"]);
});

test("the address holds the filter", () => {
  expect(readLive({ table: "follow", failed: "1", open: "7", extra: "x" })).toEqual({
    table: "follow",
    op: "",
    failed: true,
    find: "",
    open: "7",
  });
});
