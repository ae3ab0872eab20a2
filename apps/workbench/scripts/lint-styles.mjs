// Style sheets use tokens only: no raw colour, no raw size, outside tokens.css.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = new URL("../src/", import.meta.url).pathname;
const raw = [
  { what: "a raw colour", pattern: /#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(/i },
  { what: "a raw size", pattern: /(?<![\w.-])(?!0(?:px|rem|em)?\b)\d*\.?\d+(?:px|rem|em|pt)\b/ },
];

let faults = 0;
for (const name of readdirSync(root, { recursive: true })) {
  if (!String(name).endsWith(".css") || String(name) === "tokens.css") continue;
  const hidden = String(name) === "base.css";
  const lines = readFileSync(join(root, String(name)), "utf8").split("\n");
  lines.forEach((line, i) => {
    // A media query cannot read a token: the two widths at which the layout changes are these.
    if (/^@media \(max-width: (?:60|40)rem\) \{$/.test(line)) return;
    // The one exception: a visually hidden box is one pixel by definition.
    if (hidden && /^\s*(?:width|height): 1px;$/.test(line)) return;
    for (const { what, pattern } of raw) {
      if (pattern.test(line)) {
        console.error(`${name}:${i + 1}: ${what}: ${line.trim()}`);
        faults += 1;
      }
    }
  });
}
if (faults > 0) process.exit(1);
