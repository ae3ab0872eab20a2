import { describe, expect, it } from "vitest";
import type { Item } from "../../api/client";
import { actionsOf, batchesOf, TRANSACTION_ACTIONS } from "./actions";
import { type Change, kindOf } from "./change";
import { readTable } from "./schema";

const table = readTable({
  TableName: "t",
  TableStatus: "ACTIVE",
  KeySchema: [
    { AttributeName: "PK", KeyType: "HASH" },
    { AttributeName: "SK", KeyType: "RANGE" },
  ],
  AttributeDefinitions: [
    { AttributeName: "PK", AttributeType: "S" },
    { AttributeName: "SK", AttributeType: "S" },
  ],
});
const key: Item = { PK: { S: "a" }, SK: { S: "b" } };
const wires = (of: Change) =>
  actionsOf(of).map(({ wire }) => wire as Record<string, Record<string, unknown>>);
const change = (before: Item | null, after: Item | null): Change => ({ table, key, before, after });

describe("staged changes as guarded actions", () => {
  it("changes only what differs, while it is as it was first seen", () => {
    const [wire] = wires(
      change(
        { ...key, note: { S: "old" }, gone: { N: "1" }, same: { S: "x" } },
        { ...key, note: { S: "new" }, same: { S: "x" } },
      ),
    );
    const Update = wire?.Update ?? {};
    expect(Update.Key).toEqual(key);
    expect(Update.UpdateExpression).toBe("SET #n1 = :v2 REMOVE #n0");
    expect(Update.ConditionExpression).toBe("attribute_exists(#n2) AND #n0 = :v0 AND #n1 = :v1");
    expect(Object.values(Update.ExpressionAttributeNames as object)).not.toContain("same");
  });

  it("puts only where nothing is, and deletes only what was seen", () => {
    expect(kindOf(change(null, key))).toBe("new");
    const [put] = wires(change(null, { ...key, n: { N: "1" } }));
    expect(put?.Put?.ConditionExpression).toBe("attribute_not_exists(#n0)");
    const [gone] = wires(change({ ...key, n: { N: "1" } }, null));
    expect(gone?.Delete?.ConditionExpression).toBe("attribute_exists(#n0) AND #n1 = :v0");
  });

  it("names no more of an item of many attributes than an expression can hold", () => {
    const many = (text: string): Item => ({
      ...key,
      ...Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`name${n}`, { S: `${text}${n}` }])),
    });
    const [written] = wires(change(many("old"), many("new")));
    expect(written?.Put?.Item).toEqual(many("new"));
    const [gone] = wires(change(many("old"), null));
    for (const wire of [written?.Put, gone?.Delete]) {
      const condition = String(wire?.ConditionExpression);
      expect(condition.length).toBeLessThan(4096);
      expect(condition.split(" AND ")).toHaveLength(101);
    }
  });

  it("moves an item to another key in two actions of one transaction", () => {
    const moved = change({ ...key, n: { N: "1" } }, { ...key, SK: { S: "c" }, n: { N: "2" } });
    expect(kindOf(moved)).toBe("moved");
    const actions = wires(moved);
    expect(actions.map((wire) => Object.keys(wire)[0])).toEqual(["Put", "Delete"]);
    expect(actions[1]?.Delete?.Key).toEqual(key);
  });

  it("parts no move between two transactions", () => {
    const many = Array.from({ length: 60 }, (_, n) => {
      const at: Item = { PK: { S: `${n}` }, SK: { S: "b" } };
      return { table, key: at, before: at, after: { ...at, SK: { S: "c" } } };
    });
    const batches = batchesOf(many);
    expect(batches.map((batch) => batch.length)).toEqual([TRANSACTION_ACTIONS, 20]);
    const large = { ...key, text: { S: "x".repeat(400_000) } };
    expect(
      batchesOf(
        Array.from({ length: 10 }, (_, n) => ({
          ...change(null, large),
          key: { ...key, PK: { S: `${n}` } },
        })),
      ).length,
    ).toBe(2);
  });
});
