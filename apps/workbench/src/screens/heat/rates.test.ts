import { expect, test } from "vitest";
import { foresee, type Heat, idOf, lengthOf, rateOf, seriesOf, short, type Tracks, take } from "./rates";

const heat = (at: number, write_milli: number, read_milli = 0): Heat => ({
  at,
  counted: true,
  places: [
    {
      index: "GSI1",
      uses: 1,
      keys: [
        { key: {}, words: "GSI1PK = TARGET#bob", uses: 1, error: 0, read_milli, write_milli, name: null },
      ],
    },
  ],
});
const first = heat(0, 0).places[0]?.keys[0];
const id = first ? idOf("GSI1", first) : "";

test("rates are differences of what was used, in units a second", () => {
  let tracks: Tracks = new Map();
  for (const [at, milli] of [
    [0, 0],
    [1000, 5000],
    [2000, 10_000],
    [4000, 10_000],
  ] as const)
    tracks = take(tracks, heat(at, milli, milli / 2));
  expect(rateOf(tracks.get(id), "writes")).toBe(2.5);
  expect(rateOf(tracks.get(id), "reads")).toBe(1.25);
  expect(seriesOf(tracks.get(id), "writes")).toEqual([5, 5, 0]);
  expect(take(tracks, heat(5000, 100)).get(id)).toHaveLength(1);
  for (let at = 0; at < 100; at += 1) tracks = take(tracks, heat(5000 + at, 20_000));
  expect(tracks.get(id)).toHaveLength(60);
  expect(take(tracks, { at: 9, counted: true, places: [] }).size).toBe(0);
});

test("one key takes 500 links a second, and sixteen take sixteen times that", () => {
  expect(foresee([100], 500)).toEqual({ list: 500, counter: 1000, refused: 0, most: 500 });
  expect(foresee([100], 2000).refused).toBe(0.75);
  const even = foresee(Array(16).fill(10), 2000);
  expect(even).toEqual({ list: 125, counter: 250, refused: 0, most: 8000 });
  expect(foresee([3, 1], 1000)).toEqual({ list: 750, counter: 1500, refused: 0.25, most: 666 });
});

test("the limit is the whole length, and half of it half", () => {
  expect(lengthOf(1000, "writes")).toBe(1);
  expect(lengthOf(3000, "reads")).toBe(1);
  expect(lengthOf(500, "writes")).toBe(0.5);
  expect(lengthOf(0, "writes")).toBe(0);
  expect([0, 1.26, 12.6, 1234].map(short)).toEqual(["0", "1.3", "13", "1,234"]);
});
