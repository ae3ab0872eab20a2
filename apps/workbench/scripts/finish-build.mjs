// Compresses the built pages once, at build time, and holds the first load to its budget.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const pages = new URL("../../../crates/workbench/pages/", import.meta.url).pathname;
const budgetBytes = 290 * 1024;
const compressible = /\.(html|js|css|svg|json)$/;

function* files(dir) {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) yield* files(path);
    else yield path;
  }
}

const firstLoad = new Set(["index.html"]);
const index = readFileSync(join(pages, "index.html"), "utf8");
for (const [, path] of index.matchAll(/(?:src|href)="\/([^"]+)"/g)) firstLoad.add(path);

let total = 0;
for (const path of files(pages)) {
  if (!compressible.test(path)) continue;
  const packed = gzipSync(readFileSync(path), { level: 9 });
  writeFileSync(`${path}.gz`, packed);
  if (firstLoad.has(path.slice(pages.length))) total += packed.length;
}
console.log(`first load: ${(total / 1024).toFixed(1)} KB compressed, budget ${budgetBytes / 1024} KB`);
if (total > budgetBytes) process.exit(1);
