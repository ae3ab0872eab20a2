import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { create } from "zustand";
import { persist } from "zustand/middleware";
import { api, ask } from "../../api/client";
import type { components } from "../../api/schema.gen";

export type Checked = components["schemas"]["CheckedDocument"];
export type Finding = components["schemas"]["Finding"];
export type Places = Record<string, number[]>;

interface Drafts {
  texts: Record<string, string>;
  /** The kept text that each was made from; empty where there was none. */
  bases: Record<string, string>;
}

/** Texts that are not kept yet, by model: they survive a reload. */
export const useDrafts = create<Drafts>()(
  persist((): Drafts => ({ texts: {}, bases: {} }), { name: "bothways.models" }),
);

const lacking = (all: Record<string, string>, name: string) =>
  Object.fromEntries(Object.entries(all).filter(([n]) => n !== name));

/** Notes a text, and the kept one that it was made from where this is the first change of it. */
export const setDraft = (name: string, text: string, base: string) =>
  useDrafts.setState(({ texts, bases }) => ({
    texts: { ...texts, [name]: text },
    bases: texts[name] === undefined ? { ...bases, [name]: base } : bases,
  }));

/** From now on a text takes the place of another kept one. */
export const setBase = (name: string, base: string) =>
  useDrafts.setState(({ bases }) => ({ bases: { ...bases, [name]: base } }));

export const dropDraft = (name: string) =>
  useDrafts.setState(({ texts, bases }) => ({ texts: lacking(texts, name), bases: lacking(bases, name) }));

export const modelQuery = (connection: string, model: string) =>
  queryOptions({
    queryKey: ["model", connection, model],
    queryFn: ({ signal }) =>
      ask(api.GET("/c/{connection}/models/{model}", { params: { path: { connection, model } }, signal })),
  });

/** Reads and checks a text; until the answer comes the last one stands. */
export const documentQuery = (connection: string, text: string) =>
  queryOptions({
    queryKey: ["document", connection, text],
    queryFn: async ({ signal }) => {
      const params = { path: { connection } };
      const checked = await ask(api.POST("/c/{connection}/check", { params, body: { toml: text }, signal }));
      return { text, checked };
    },
    enabled: text !== "",
    placeholderData: keepPreviousData,
    gcTime: 10_000,
  });

/** A text as TOML writes one: a JSON string is one too. */
const quoted = (value: string) => JSON.stringify(value);

/** The text with one value replaced, and where everything is afterwards. */
export function splice(
  text: string,
  places: Places,
  path: string,
  value: string,
): { text: string; places: Places } {
  const [start, end] = places[path] ?? [0, 0];
  if (start === undefined || end === undefined || end === 0) return { text, places };
  const written = quoted(value);
  const shift = written.length - (end - start);
  const moved = Object.entries(places).map(([name, [a = 0, b = 0]]): [string, number[]] => [
    name,
    [a > start ? a + shift : a, b >= end ? b + shift : b],
  ]);
  return { text: text.slice(0, start) + written + text.slice(end), places: Object.fromEntries(moved) };
}

/** What the text says at a place; undefined where the place is not known or holds no text. */
export function valueAt(text: string, places: Places | undefined, path: string): string | undefined {
  const [start, end] = places?.[path] ?? [];
  if (start === undefined || end === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text.slice(start, end));
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The text without the block `[[kind]]` in which a part stands. */
export function without(text: string, places: Places, path: string): string {
  const at = places[path]?.[0];
  if (at === undefined) return text;
  const start = text.lastIndexOf("\n[[", at) + 1;
  const next = text.indexOf("\n[[", at);
  return `${text.slice(0, start).trimEnd()}\n${next < 0 ? "" : text.slice(next)}`;
}

export const withRead = (
  text: string,
  read: { name: string; access: string; of: string; items: string },
): string =>
  `${text.trimEnd()}\n\n[[pattern]]\nname = ${quoted(read.name)}\nread = ${quoted(read.access)}\nof = ${quoted(read.of)}\n${
    read.items === "" ? "" : `items = ${read.items}\n`
  }`;

/** What somebody wants to know, as sentences: a student is enrolled in a course, a course has enrolled a student. */
export interface Sentence {
  from: string;
  out: string;
  to: string;
  back: string;
}

const label = (name: string) => name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_");
const plainName = (words: string) =>
  words
    .toLowerCase()
    .replaceAll(/^(is|has|are) /g, "")
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_|_(in|to|of|by)?$/g, "")
    .replaceAll(/_(in|to|of|by)$/g, "") || "edge";

/** A model that serves the sentences both ways, one item an edge, in the pattern of the guides. */
export function modelOf(name: string, sentences: Sentence[]): string {
  const entities = [...new Set(sentences.flatMap(({ from, to }) => [from, to]))];
  const out = [
    `# Each relation is one item, read both ways.`,
    `name = ${quoted(name)}`,
    `table = ${quoted(name)}`,
    `keys = { pk = "PK", sk = "SK" }`,
    `upsert_entities = true`,
    ``,
    `[[index]]`,
    `name = "GSI1"`,
    `pk = "GSI1PK"`,
    `sk = "GSI1SK"`,
    `projection = "ALL"`,
  ];
  for (const entity of entities)
    out.push(
      "",
      "[[entity]]",
      `name = ${quoted(entity)}`,
      `key = { pk = "${label(entity)}#{id}", sk = "PROFILE" }`,
    );
  const taken = new Set<string>();
  for (const { from, out: verb, to, back } of sentences) {
    let relation = plainName(verb);
    while (taken.has(relation)) relation += "2";
    taken.add(relation);
    // The relation's own label stands in the keys: two relations of the same entities must not meet in a list.
    const mark = label(relation);
    out.push(
      "",
      "[[relation]]",
      `name = ${quoted(relation)}`,
      `from = ${quoted(from)}`,
      `to = ${quoted(to)}`,
      `out = ${quoted(verb)}`,
      `in = ${quoted(back)}`,
      `key = { pk = "${label(from)}#{src}", sk = "${mark}#${label(to)}#{dst}" }`,
      `inverse = { index = "GSI1", pk = "${mark}#${label(to)}#{dst}", sk = "${label(from)}#{src}" }`,
      `counters = { out = ${quoted(`${relation}Out`)}, in = ${quoted(`${relation}In`)} }`,
      `attributes = [`,
      `  { name = "createdAt", type = "time", default = "now" },`,
      `]`,
    );
    for (const [read, words, items] of [
      ["out", `one ${from} ${verb}`, 100],
      ["in", `one ${to} ${back}`, 1000],
      ["edge", `whether one ${from} ${verb} one ${to}`, 1],
      ["link", `link: ${from} ${verb} ${to}`, 1],
    ] as const)
      out.push(
        "",
        "[[pattern]]",
        `name = ${quoted(words)}`,
        `read = "${read}"`,
        `of = ${quoted(relation)}`,
        `items = ${items}`,
      );
  }
  return `${out.join("\n")}\n`;
}
