import type { TableInfo } from "../tables/schema";

/** The key in a finding's words, `PK = ACTOR#bob, SK = PROFILE`, as an item's key. */
export function keyOfWords(table: TableInfo, words: string): string | null {
  const { hash, range } = table.keys;
  const parted = `, ${range?.name} = `;
  const at = range === null ? words.length : words.indexOf(parted);
  if (!words.startsWith(`${hash.name} = `) || at < 0) return null;
  const key: [string, Record<string, string>][] = [
    [hash.name, { [hash.type]: words.slice(hash.name.length + 3, at) }],
  ];
  if (range !== null) key.push([range.name, { [range.type]: words.slice(at + parted.length) }]);
  return JSON.stringify(key.sort(([a], [b]) => (a < b ? -1 : 1)));
}
