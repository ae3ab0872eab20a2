import { describe, expect, it } from "vitest";
import { COLUMN, type Found, keyOf, layOut } from "./layout";

const bob = { entity: "actor", id: "bob" };
const found = (id: string, side: "out" | "in", from = "bob"): Found => ({
  id,
  entity: "actor",
  from: keyOf("actor", from),
  side,
});

describe("the map's places", () => {
  it("puts what points to the middle on the left and what it points to on the right", () => {
    const { nodes, lines } = layOut(bob, [found("alice", "in"), found("zoe", "out")]);
    expect(nodes.map((n) => [n.id, n.x])).toEqual([
      ["bob", 0],
      ["alice", -COLUMN],
      ["zoe", COLUMN],
    ]);
    expect(lines).toEqual([
      { from: "actor/alice", to: "actor/bob", side: "in" },
      { from: "actor/bob", to: "actor/zoe", side: "out" },
    ]);
  });
  it("puts a neighbour's neighbours further out, whichever way their edges go", () => {
    const { nodes } = layOut(bob, [
      found("zoe", "out"),
      found("yan", "out", "zoe"),
      found("xia", "in", "zoe"),
    ]);
    expect(nodes.filter((n) => n.column === 2).map((n) => n.id)).toEqual(["yan", "xia"]);
  });
  it("draws an edge found from both ends once, and places each node once", () => {
    const { nodes, lines } = layOut(bob, [
      found("alice", "in"),
      found("bob", "out", "alice"),
      found("carol", "out", "alice"),
      found("carol", "out"),
    ]);
    expect(lines).toHaveLength(3);
    expect(new Set(nodes.map((n) => n.key)).size).toBe(nodes.length);
  });
  it("spreads a column evenly around the middle", () => {
    const { nodes } = layOut(bob, [found("a", "out"), found("b", "out"), found("c", "out")]);
    expect(nodes.filter((n) => n.column === 1).reduce((sum, n) => sum + n.y, 0)).toBe(0);
  });
  it("leaves out what hangs on a node that is not there", () =>
    expect(layOut(bob, [found("a", "out", "nobody")]).nodes).toHaveLength(1));
});
