import { describe, expect, it } from "vitest";
import en from "../messages/en.json";
import es from "../messages/es.json";
import ja from "../messages/ja.json";
import zh from "../messages/zh-Hant.json";
import type { Messages } from "./i18n";

type Tree = { [name: string]: string | Tree };

function flat(tree: Tree, before = ""): [string, string][] {
  return Object.entries(tree).flatMap(([name, value]) =>
    typeof value === "string" ? [[`${before}${name}`, value]] : flat(value, `${before}${name}.`),
  );
}
const english = flat(en as Tree);
const languages: [string, Map<string, string>][] = [
  ["es", new Map(flat(es as Tree))],
  ["ja", new Map(flat(ja as Tree))],
  ["zh-Hant", new Map(flat(zh as Tree))],
];
/** The names of a message's slots. What stands in the branches of a plural or a choice is a message too. */
function slots(message: string): string[] {
  const found: string[] = [];
  for (let at = message.indexOf("{"); at >= 0; at = message.indexOf("{", at)) {
    let end = at + 1;
    for (let depth = 1; depth > 0 && end < message.length; end++)
      depth += message[end] === "{" ? 1 : message[end] === "}" ? -1 : 0;
    const inside = message.slice(at + 1, end - 1);
    const choice = inside.match(/^(\w+), (?:plural|select|selectordinal),/);
    if (choice === null) found.push(inside.split(",")[0] ?? "");
    else {
      found.push(choice[1] ?? "");
      const rest = inside.slice(choice[0].length);
      for (const [, branch = ""] of rest.matchAll(/(?:=\d+|\w+) \{((?:[^{}]|\{[^{}]*\})*)\}/g))
        found.push(...slots(branch));
    }
    at = end;
  }
  return found.sort();
}
const unique = (words: string[]) => [...new Set(words)];

describe.each(languages)("%s", (_, messages) => {
  it("has every message of English and no other", () =>
    expect([...messages.keys()].sort()).toEqual(english.map(([key]) => key).sort()));
  it.each(english)("%s takes what English takes", (key, message) =>
    expect(unique(slots(messages.get(key) ?? ""))).toEqual(unique(slots(message))),
  );
});

/** DynamoDB's terms as the developer guide of each language, or its interface, has them: English, then es, ja, zh-Hant. */
const terms: [RegExp, RegExp, RegExp, RegExp][] = [
  [/partition key/i, /clave de partición/i, /パーティションキー/, /分割鍵/],
  [/sort key/i, /clave de ordenación/i, /ソートキー/, /排序鍵/],
  [/\btables?\b/i, /\btablas?\b/i, /テーブル/, /資料表/],
  [/\bitems?\b/i, /elementos?/i, /項目/, /項目/],
  [/\bindex(es)?\b/i, /índices?/i, /インデックス/, /索引/],
  [/\battributes?\b/i, /atributos?/i, /属性/, /屬性/],
  [/\bprojection\b/i, /proyección/i, /射影|プロジェクション/, /投影/],
  [/\btransactions?\b/i, /transacci(ón|ones)/i, /トランザクション/, /交易/],
];

describe.each(languages)("DynamoDB's terms in %s", (_, messages) => {
  const at = languages.findIndex(([, known]) => known === messages) + 1;
  const used = terms.flatMap((term) =>
    english
      .filter(([, message]) => term[0].test(message.replaceAll(/\{(\w+)(, plural, [^{]*)?/g, "")))
      .map(([key]): [string, RegExp] => [key, term[at] as RegExp]),
  );
  it.each(used)("%s uses %s", (key, term) => expect(messages.get(key)).toMatch(term));
});

describe("a language that lacks a message", () => {
  it("does not compile", () => {
    const { title: _, ...lacking } = en.checks;
    // @ts-expect-error: checks.title is missing
    const messages: Messages = { ...en, checks: lacking };
    expect(Object.keys(messages.checks)).not.toContain("title");
  });
});
