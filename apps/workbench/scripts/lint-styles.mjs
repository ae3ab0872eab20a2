// Styles use tokens only: no raw colour, size or space in a style sheet outside tokens.css, nor in the code.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const COLOUR = /#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|hwb|lab|lch|oklab|oklch|color)a?\(/i;
const NAMED =
  /(?:color|background|border|outline|fill|stroke|shadow)[\w-]*:[^;]*\b(?:black|white|gray|grey|red|green|blue|yellow|orange|purple|pink|brown|navy|teal|silver)\b/i;
const SIZE = /(?<![\w.-])(?!0(?:px|rem|em)?(?![.\w]))\d*\.?\d+(?:px|rem|em|pt|ch|ex|cm|mm|in|vmin|vmax)\b/;

const sheet = [
  { what: "a raw colour", pattern: COLOUR },
  { what: "a named colour", pattern: NAMED },
  { what: "a raw size", pattern: SIZE },
];
/** In the code only a whole string is one: `size="1em"` of an icon is as large as the words beside it. */
const code = [
  { what: "a raw colour", pattern: /["'`](?:#[0-9a-f]{3,8}|(?:rgb|hsl)a?\([^"'`]*)["'`]/i },
  { what: "a raw size", pattern: /["'`]-?\d*\.?\d+(?:px|rem|pt)["'`]/ },
  { what: "a raw size", pattern: /(?:padding|margin|gap|width|height|fontSize|inset)\w*: ?["'`]?\d*[1-9]/ },
];

/** The faults of one file, as lines. */
export function faultsIn(name, text) {
  if (/\.test\.\w+$|\.gen\.ts$/.test(name) || name === "tokens.css") return [];
  const rules = name.endsWith(".css") ? sheet : code;
  return text.split("\n").flatMap((line, i) => {
    // A media query cannot read a token: the two widths at which the layout changes are these.
    if (/^@media \(max-width: (?:60|40)rem\) \{$/.test(line)) return [];
    // The one exception: a visually hidden box is one pixel by definition.
    if (name === "base.css" && /^\s*(?:width|height): 1px;$/.test(line)) return [];
    return rules
      .filter(({ pattern }) => pattern.test(line))
      .map(({ what }) => `${name}:${i + 1}: ${what}: ${line.trim()}`);
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const root = new URL("../src/", import.meta.url).pathname;
  const names = readdirSync(root, { recursive: true }).map(String);
  const faults = names
    .filter((name) => /\.(css|tsx)$/.test(name))
    .flatMap((name) => faultsIn(name, readFileSync(join(root, name), "utf8")));
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exit(1);
}
