import { describe, expect, it } from "vitest";
import type { Item } from "../api/client";
import { PlainJsonError, parsePlain, printPlain } from "./plainJson";

const whole: Item = {
  PK: { S: 'a,b#c/日本語"\\' },
  exact: { N: "12345678901234567890123456789012345678" },
  small: { N: "1E-130" },
  numbers: { NS: ["1", "2.50"] },
  words: { SS: ["a", "b"] },
  bytes: { BS: ["AAE=", "/w=="] },
  picture: { B: "AAEC/w==" },
  yes: { BOOL: true },
  nothing: { NULL: true },
  empty: { M: {} },
  none: { L: [] },
  tree: { M: { list: { L: [{ N: "1" }, { M: { deep: { NS: ["7"] } } }] }, bin: { B: "AA==" } } },
};

describe("plain JSON", () => {
  it("comes back as the item it was, every digit, set and byte of it", () =>
    expect(parsePlain(printPlain(whole), whole)).toEqual(whole));

  it("without the item before has lists and strings instead of sets and binary", () =>
    expect(parsePlain('{"n": [1, 2], "b": "AA==", "__proto__": 1}', null)).toEqual(
      Object.fromEntries([
        ["n", { L: [{ N: "1" }, { N: "2" }] }],
        ["b", { S: "AA==" }],
        ["__proto__", { N: "1" }],
      ]),
    ));

  it("lets a set go where the text no longer is one", () => {
    const before: Item = { words: { SS: ["a", "b"] } };
    expect(parsePlain('{"words": ["a", "a"]}', before)).toEqual({ words: { L: [{ S: "a" }, { S: "a" }] } });
    expect(parsePlain('{"words": []}', before)).toEqual({ words: { L: [] } });
    expect(parsePlain('{"words": ["c"]}', before)).toEqual({ words: { SS: ["c"] } });
  });

  it.each([
    ["[1]", 0],
    ['{"a": 1} x', 9],
    ['{"a": 01}', 7],
    ['{"a" 1}', 5],
    ['{"a": 123456789012345678901234567890123456789}', 6],
    ['{"a": 1, "a": 2}', 12],
    ['{"a": "\\x"}', 6],
    ['{"a": tru}', 6],
  ])("says where %s goes wrong", (text, at) => {
    try {
      parsePlain(text, null);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(PlainJsonError);
      expect((error as PlainJsonError).at).toBe(at);
    }
  });
});
