import { describe, expect, it } from "vitest";
import { lineDiff } from "./lineDiff";

const words = (now: string, mine: string) =>
  lineDiff(now, mine).map((line) => (line.kind === "skip" ? `…${line.lines}` : `${line.kind} ${line.text}`));

describe("a difference by lines", () => {
  it("says of each line whose it is, and leaves out what is the same far from it", () => {
    const now = ["1", "2", "3", "4", "theirs", "6", "7", "8", "9", "x"].join("\n");
    const mine = ["1", "2", "3", "4", "old", "6", "7", "8", "9", "x", "mine"].join("\n");
    expect(words(now, mine)).toEqual([
      "…2",
      "same 3",
      "same 4",
      "now theirs",
      "mine old",
      "same 6",
      "same 7",
      "…1",
      "same 9",
      "same x",
      "mine mine",
    ]);
  });
  it("keeps lines that moved together, and shows nothing of equal texts", () => {
    expect(words("a\nb\nc", "b\nc\nd")).toEqual(["now a", "same b", "same c", "mine d"]);
    expect(words("a\nb", "a\nb")).toEqual(["…2"]);
  });
});
