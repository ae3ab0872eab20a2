import { describe, expect, it } from "vitest";
import { modelOf, splice, without, withRead } from "./document";

const text = `# kept
name = "club"

[[relation]]
name = "member"
out = "is in"

[[pattern]]
name = "who"
`;
const span = (value: string) => [text.indexOf(value), text.indexOf(value) + value.length];
const places = { name: span('"club"'), "relation.member.out": span('"is in"'), "pattern.who": span('"who"') };

describe("a form over a text", () => {
  it("replaces one value, keeps the comments, and knows where the rest went", () => {
    const once = splice(text, places, "name", 'a "longer" name');
    expect(once.text).toContain('# kept\nname = "a \\"longer\\" name"\n');
    const twice = splice(once.text, once.places, "relation.member.out", "日本");
    expect(twice.text).toContain('out = "日本"');
    expect(twice.text.length - once.text.length).toBe('"日本"'.length - '"is in"'.length);
  });

  it("takes a block away and adds a read", () => {
    expect(without(text, places, "pattern.who")).toBe(`${text.split("\n\n[[pattern]]")[0]}\n`);
    const more = withRead(text, { name: "one", access: "edge", of: "member", items: "" });
    expect(more.endsWith('[[pattern]]\nname = "one"\nread = "edge"\nof = "member"\n')).toBe(true);
  });

  it("makes a model of sentences whose relations have names and keys of their own", () => {
    const made = modelOf("school2", [
      { from: "student", out: "is enrolled in", to: "course", back: "has enrolled" },
      { from: "student", out: "has dropped", to: "course", back: "was dropped by" },
    ]);
    expect(made.match(/\[\[entity\]\]/g)).toHaveLength(2);
    expect(made).toContain('name = "enrolled"');
    expect(made).toContain('sk = "ENROLLED#COURSE#{dst}"');
    expect(made).toContain('pk = "DROPPED#COURSE#{dst}"');
  });
});
