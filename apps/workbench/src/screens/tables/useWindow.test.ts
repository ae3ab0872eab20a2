import { expect, test } from "vitest";
import { windowOf } from "./useWindow";

test.each([
  ["nothing to show", [0, 28, 0, 560], { first: 0, end: 0 }],
  ["fewer rows than the pane holds", [5, 28, 0, 560], { first: 0, end: 5 }],
  ["the top of many", [1_000_000, 28, 0, 560], { first: 0, end: 28 }],
  ["the middle of many", [1_000_000, 28, 14_000_000, 560], { first: 499_992, end: 500_028 }],
  ["the end of many", [1_000_000, 28, 28_000_000 - 532, 560], { first: 999_973, end: 1_000_000 }],
  ["scrolled past rows that are gone", [10, 28, 2800, 560], { first: 10, end: 10 }],
  ["a pane that has no height yet", [10, 28, 0, 0], { first: 0, end: 8 }],
] as const)("%s", (_, [count, row, scrolled, height], expected) => {
  expect(windowOf(count, row, scrolled, height)).toEqual(expected);
});
