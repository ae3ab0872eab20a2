/** The Markdown that the guides are written in: headings, paragraphs, tables, code, commands with what they print. */

export interface Step {
  /** Its place among the guide's commands. */
  number: number;
  command: string;
  /** What the guide says that it prints. */
  output: string;
}

export type Block =
  | { kind: "heading"; level: number; text: string }
  | { kind: "text"; text: string }
  | { kind: "table"; head: string[]; rows: string[][] }
  | { kind: "code"; text: string }
  | { kind: "commands"; steps: Step[] };

/** A piece of a line. */
export type Span =
  | { kind: "plain" | "code" | "strong" | "em"; text: string }
  | { kind: "link"; text: string; href: string };

/** Chinese and Japanese have no blank where a line of the source ends. */
const wide = /[\u2e80-\uffef]/;

function joined(lines: string[]): string {
  return lines.reduce((text, line) => {
    const blank = text !== "" && !(wide.test(text.at(-1) ?? "") && wide.test(line[0] ?? ""));
    return text + (blank ? " " : "") + line;
  }, "");
}

const cells = (line: string) =>
  line
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|")
    .map((cell) => cell.trim());

function stepsOf(lines: string[], first: number): Step[] {
  const steps: Step[] = [];
  for (const line of lines) {
    const last = steps.at(-1);
    if (line.startsWith("$ "))
      steps.push({ number: first + steps.length, command: line.slice(2), output: "" });
    else if (last !== undefined) last.output += `${line}\n`;
  }
  for (const step of steps) step.output = step.output.trimEnd();
  return steps;
}

/** The blocks of a guide, in order. The line of links to its other languages is left out. */
export function parse(source: string): Block[] {
  const lines = source.split("\n");
  const blocks: Block[] = [];
  let number = 0;
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    const upTo = (ends: (line: string) => boolean) => {
      let end = at;
      while (end < lines.length && !ends(lines[end] ?? "")) end++;
      return lines.slice(at, end);
    };
    if (line.trim() === "" || line.startsWith("[English](")) at++;
    else if (line.startsWith("```")) {
      at++;
      const inside = upTo((each) => each.startsWith("```"));
      at += inside.length + 1;
      if (line === "```console") {
        const steps = stepsOf(inside, number);
        number += steps.length;
        blocks.push({ kind: "commands", steps });
      } else blocks.push({ kind: "code", text: inside.join("\n") });
    } else if (line.startsWith("#")) {
      const [marks = "", text = ""] = line.split(/ (.*)/s);
      blocks.push({ kind: "heading", level: marks.length, text });
      at++;
    } else if (line.startsWith("|")) {
      const [head = "", , ...rows] = upTo((each) => !each.startsWith("|"));
      at += rows.length + 2;
      blocks.push({ kind: "table", head: cells(head), rows: rows.map(cells) });
    } else {
      const text = upTo((each) => each.trim() === "" || /^(```|#|\|)/.test(each));
      at += text.length;
      blocks.push({ kind: "text", text: joined(text) });
    }
  }
  return blocks;
}

const inline = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\(([^)]+)\)/g;

/** The pieces of a text. */
export function spans(text: string): Span[] {
  const found: Span[] = [];
  let at = 0;
  for (const match of text.matchAll(inline)) {
    if (match.index > at) found.push({ kind: "plain", text: text.slice(at, match.index) });
    at = match.index + match[0].length;
    const [, code, strong, em, label, href] = match;
    if (code !== undefined) found.push({ kind: "code", text: code });
    else if (strong !== undefined) found.push({ kind: "strong", text: strong });
    else if (em !== undefined) found.push({ kind: "em", text: em });
    else found.push({ kind: "link", text: label ?? "", href: href ?? "" });
  }
  if (at < text.length) found.push({ kind: "plain", text: text.slice(at) });
  return found;
}
