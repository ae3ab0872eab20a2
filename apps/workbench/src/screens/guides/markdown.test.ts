import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse, spans } from "./markdown";

const folder = new URL("../../../../../docs/guides/", import.meta.url);
const guides = readdirSync(folder).map(
  (name) => [name, readFileSync(new URL(name, folder), "utf8")] as const,
);

describe("a guide", () => {
  it("becomes blocks, its commands numbered through", () => {
    const source = [
      "# T",
      "",
      "[English](a.md) · [Español](a.es.md)",
      "",
      "one",
      "two `x`",
      "",
      "| a | b |",
      "| --- | --- |",
      "| 1 | `2` |",
      "",
      "```console",
      "$ bothways a",
      "out",
      "",
      "$ bothways b",
      "```",
      "```sh",
      "export A=1",
      "```",
      "```console",
      "$ bothways c",
      "```",
    ].join("\n");
    expect(parse(source)).toEqual([
      { kind: "heading", level: 1, text: "T" },
      { kind: "text", text: "one two `x`" },
      { kind: "table", head: ["a", "b"], rows: [["1", "`2`"]] },
      {
        kind: "commands",
        steps: [
          { number: 0, command: "bothways a", output: "out" },
          { number: 1, command: "bothways b", output: "" },
        ],
      },
      { kind: "code", text: "export A=1" },
      { kind: "commands", steps: [{ number: 2, command: "bothways c", output: "" }] },
    ]);
  });
  it("joins lines without a blank between wide characters", () => {
    expect(parse("誰が、\n誰を")).toEqual([{ kind: "text", text: "誰が、誰を" }]);
    expect(parse("以下の\nGSI1 は")).toEqual([{ kind: "text", text: "以下の GSI1 は" }]);
  });
  it.each(guides)("%s has nothing that is not understood", (_, source) => {
    const blocks = parse(source);
    expect(blocks[0]).toMatchObject({ kind: "heading", level: 1 });
    for (const block of blocks) {
      if (block.kind === "heading" || block.kind === "text") {
        const plain = spans(block.text).filter((span) => span.kind === "plain");
        for (const { text } of plain) expect(text).not.toMatch(/[`*[\]|#]|^\s*[-\d]+[.)]? /);
      }
    }
  });
});

it("a line falls into its spans", () => {
  expect(spans("a `b` *c* **d** [e](f.md).")).toEqual([
    { kind: "plain", text: "a " },
    { kind: "code", text: "b" },
    { kind: "plain", text: " " },
    { kind: "em", text: "c" },
    { kind: "plain", text: " " },
    { kind: "strong", text: "d" },
    { kind: "plain", text: " " },
    { kind: "link", text: "e", href: "f.md" },
    { kind: "plain", text: "." },
  ]);
});
