import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const css = readFileSync(new URL("./tokens.css", import.meta.url), "utf8");

function themeColours(theme: string): Map<string, string> {
  const start = css.indexOf(`:root[data-theme="${theme}"]`);
  const block = css.slice(start, css.indexOf("}", start));
  return new Map([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map((m) => [m[1] ?? "", m[2] ?? ""]));
}

function luminance(hex: string): number {
  const channel = (at: number) => {
    const c = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

const inks = ["text", "quiet", "accent", "out", "in", "ok", "warn", "bad"];
const grounds = ["ground", "panel"];
const tints = ["accent", "out", "in", "ok", "warn", "bad"];
/** A tint carries its own ink, text, what is quiet, and what can be pressed. */
const tinted: [string, string][] = [
  ...tints.flatMap((c) => [c, "text", "quiet", "accent"].map((ink): [string, string] => [ink, `tint-${c}`])),
  ["accent-strong", "tint-accent"],
  ["on-accent", "accent"],
  ["on-accent", "accent-strong"],
];

/** Ink on ground wherever one rule of a style sheet names both. */
function pairsInUse(): [string, string][] {
  const root = new URL("./", import.meta.url);
  const sheets = readdirSync(root, { recursive: true }).map(String);
  return sheets
    .filter((name) => name.endsWith(".css"))
    .flatMap((name) => [...readFileSync(new URL(name, root), "utf8").matchAll(/\{([^{}]*)\}/g)])
    .flatMap(([, rule = ""]): [string, string][] => {
      const ink = rule.match(/(?:^|[\s;])color: var\(--([\w-]+)\)/)?.[1];
      const ground = rule.match(/background(?:-color)?: var\(--([\w-]+)\)/)?.[1];
      return ink === undefined || ground === undefined ? [] : [[ink, ground]];
    });
}

describe("pairs", () => {
  const known = new Set(
    [...inks.flatMap((ink) => grounds.map((g) => [ink, g])), ...tinted].map((pair) => pair.join(" on ")),
  );
  /** Set by a half for what is in it: one of the inks and its tint. */
  const indirect = (token: string) => token === "side" || token === "tint";
  it("in use are all computed below", () => {
    const unknown = pairsInUse()
      .filter((pair) => !pair.some(indirect))
      .map((pair) => pair.join(" on "))
      .filter((pair) => !known.has(pair));
    expect(unknown).toEqual([]);
  });
});

describe.each(["light", "dark"])("%s theme", (theme) => {
  const colours = themeColours(theme);
  const get = (name: string) => {
    const hex = colours.get(name);
    if (hex === undefined) throw new Error(`no token --${name}`);
    return hex;
  };
  const pairs = [...inks.flatMap((ink) => grounds.map((g): [string, string] => [ink, g])), ...tinted];
  it.each(pairs)("%s on %s reads at 4.5 : 1", (ink, ground) => {
    expect(contrast(get(ink), get(ground))).toBeGreaterThanOrEqual(4.5);
  });
  it.each(grounds)("borders on %s read at 3 : 1", (ground) => {
    expect(contrast(get("border"), get(ground))).toBeGreaterThanOrEqual(3);
  });
});
