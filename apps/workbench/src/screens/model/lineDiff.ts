/** A line of a difference, or how many that are the same were left out. */
export type DiffLine = { kind: "now" | "mine" | "same"; text: string } | { kind: "skip"; lines: number };

/** Same lines that are shown around what differs. */
const AROUND = 2;
/** Pairs of lines that are compared at most; of longer changes all is shown as changed. */
const MOST_PAIRS = 4_000_000;

/** How two texts differ, line by line; long runs of same lines are left out. */
export function lineDiff(now: string, mine: string): DiffLine[] {
  const [a, b] = [now.split("\n"), mine.split("\n")];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - head && a[a.length - 1 - tail] === b[b.length - 1 - tail])
    tail++;
  const same = (lines: string[]): DiffLine[] => lines.map((text) => ({ kind: "same", text }));
  const changed = middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  return shortened([...same(a.slice(0, head)), ...changed, ...same(a.slice(a.length - tail))]);
}

function middle(a: string[], b: string[]): DiffLine[] {
  const [gone, come] = [
    (text: string): DiffLine => ({ kind: "now", text }),
    (text: string): DiffLine => ({ kind: "mine", text }),
  ];
  if (a.length * b.length > MOST_PAIRS) return [...a.map(gone), ...b.map(come)];
  // Longest common subsequence from each pair of places on, row by row from the end.
  const wide = b.length + 1;
  const best = new Uint16Array((a.length + 1) * wide);
  const at = (i: number, j: number) => best[i * wide + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      best[i * wide + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const out: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && left === right) {
      out.push({ kind: "same", text: left });
      i++;
      j++;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      out.push(gone(left));
      i++;
    } else {
      out.push(come(right ?? ""));
      j++;
    }
  }
  return out;
}

function shortened(lines: DiffLine[]): DiffLine[] {
  const near = (at: number) =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some((line) => line.kind !== "same");
  const out: DiffLine[] = [];
  for (const [at, line] of lines.entries()) {
    const last = out.at(-1);
    if (near(at)) out.push(line);
    else if (last?.kind === "skip") last.lines++;
    else out.push({ kind: "skip", lines: 1 });
  }
  return out;
}
