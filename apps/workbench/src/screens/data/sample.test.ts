import { expect, test } from "vitest";
import { csvRecords, priceOf, sampleOf, sizeText } from "./sample";

test("CSV is cut at commas and line ends outside of quotes", () => {
  expect(csvRecords('a,b\r\n"x, ""y""\nz",2\nlast', 9)).toEqual([["a", "b"], ['x, "y"\nz', "2"], ["last"]]);
});

test("a file's format and its columns' types are guessed, and keys have their own", () => {
  const keys = new Map([["id", "S"]]);
  const types = (text: string) => sampleOf("f.csv", text, keys).columns.map((c) => c.type);
  expect(types('id,n,zip,yes,tags\n1,2.5,007,true,"{""SS"":[""a""]}"\n2,,7,false,\n')).toEqual([
    "S",
    "N",
    "S",
    "BOOL",
    "JSON",
  ]);
  expect(types("id,n\n1,1e3\n")).toEqual(["S", "S"]);
  const format = (text: string) => sampleOf("f.jsonl", text, keys).format;
  expect(format('{"id":"a","n":1}\n')).toBe("json");
  expect(format('{"id":{"S":"a"},"n":{"N":"1"}}\n')).toBe("dynamodb");
  expect(format('{"Item":{"id":{"S":"a"}}}')).toBe("dynamodb");
  expect(format('{"id":{"city":"x"}}')).toBe("json");
});

test("sizes are short", () => {
  expect([0, 999, 1536, 5 * 1024 * 1024, 3e11].map(sizeText)).toEqual([
    "0 B",
    "999 B",
    "1.5 KB",
    "5.0 MB",
    "279 GB",
  ]);
});

test("a file's price is told from how it begins", () => {
  expect(priceOf("PK,SK\na,1\nb,2\n", 14, true)).toEqual({ rows: 2, units: 2 });
  const line = `${"x".repeat(1500)}\n`;
  expect(priceOf(line.repeat(4), line.length * 40, false)).toEqual({ rows: 40, units: 80 });
  expect(priceOf("", 0, true)).toEqual({ rows: 0, units: 0 });
});
