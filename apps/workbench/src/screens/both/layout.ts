/** A neighbour as the map needs it: which node it was found from, and which way the edge goes. */
export interface Found {
  id: string;
  entity: string;
  from: string;
  side: "out" | "in";
}

export interface Placed {
  key: string;
  id: string;
  entity: string;
  /** Columns from the middle: negative to the left. */
  column: number;
  x: number;
  y: number;
}

export interface Line {
  from: string;
  to: string;
  side: "out" | "in";
}

export const COLUMN = 220;
export const ROW = 30;
/** Nodes that stand under each other; more of them stand in a further column beside. */
const STACK = 20;
const BESIDE = 170;

export const keyOf = (entity: string, id: string) => `${entity}/${id}`;

/**
 * Places nodes in columns around the middle one: what points to it on the left, what it points to on the right, and
 * what was found from a neighbour one column further out. The same edges always give the same picture.
 */
export function layOut(
  middle: { entity: string; id: string },
  found: Found[],
): { nodes: Placed[]; lines: Line[] } {
  const root = keyOf(middle.entity, middle.id);
  const columns = new Map<number, string[]>([[0, [root]]]);
  const placed = new Map<string, { id: string; entity: string; column: number }>([
    [root, { ...middle, column: 0 }],
  ]);
  const lines = new Map<string, Line>();
  for (const { id, entity, from, side } of found) {
    const parent = placed.get(from);
    if (parent === undefined) continue;
    const key = keyOf(entity, id);
    const [start, end] = side === "out" ? [from, key] : [key, from];
    // An edge that was found from both of its ends is one line.
    const line = `${start} ${end}`;
    if (!lines.has(line)) lines.set(line, { from: start, to: end, side });
    if (placed.has(key)) continue;
    const outward = parent.column === 0 ? (side === "out" ? 1 : -1) : Math.sign(parent.column);
    const column = parent.column + outward;
    placed.set(key, { id, entity, column });
    columns.set(column, [...(columns.get(column) ?? []), key]);
  }
  const stacks = (column: number) => Math.ceil((columns.get(column)?.length ?? 0) / STACK);
  /** A column stands beyond all stacks of the one before it. */
  const x = (column: number): number => {
    if (column === 0) return 0;
    const before = column - Math.sign(column);
    const beside = before === 0 ? 0 : (stacks(before) - 1) * BESIDE;
    return x(before) + Math.sign(column) * (COLUMN + beside);
  };
  const nodes = [...columns].flatMap(([column, keys]) =>
    keys.map((key, i) => {
      const stack = Math.floor(i / STACK);
      const rows = Math.min(STACK, keys.length - stack * STACK);
      return {
        key,
        id: placed.get(key)?.id ?? "",
        entity: placed.get(key)?.entity ?? "",
        column,
        x: x(column) + Math.sign(column) * stack * BESIDE,
        // Every other stack stands half a row lower, so that lines pass between its neighbour's nodes.
        y: ((i % STACK) - (rows - 1) / 2 + (stack % 2) / 2) * ROW,
      };
    }),
  );
  return { nodes, lines: [...lines.values()] };
}
