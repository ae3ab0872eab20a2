import { describe, expect, it } from "vitest";
import { createRequest, newDraft, newIndex } from "./newTable";

describe("a draft of a table as a request", () => {
  it("defines each key attribute once and leaves out a sort key without a name", () => {
    const draft = { ...newDraft(), name: "t", range: { name: "", type: "S" as const } };
    expect(createRequest(draft)).toEqual({
      TableName: "t",
      KeySchema: [{ AttributeName: "PK", KeyType: "HASH" }],
      AttributeDefinitions: [{ AttributeName: "PK", AttributeType: "S" }],
      BillingMode: "PAY_PER_REQUEST",
    });
  });

  it("gives a local index the table's partition key, and a global one its own throughput", () => {
    const draft = newDraft();
    const global = { ...newIndex(draft), projection: "INCLUDE" as const, include: " grade, , title" };
    const local = {
      ...newIndex(draft),
      id: 2,
      name: "L",
      local: true,
      range: { name: "at", type: "N" as const },
    };
    const wire = createRequest({ ...draft, name: "t", billing: "PROVISIONED", indexes: [global, local] });
    expect(wire.GlobalSecondaryIndexes).toEqual([
      {
        IndexName: "GSI1",
        KeySchema: [
          { AttributeName: "GSI1PK", KeyType: "HASH" },
          { AttributeName: "GSI1SK", KeyType: "RANGE" },
        ],
        Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: ["grade", "title"] },
        ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 5 },
      },
    ]);
    expect(wire.LocalSecondaryIndexes).toEqual([
      {
        IndexName: "L",
        KeySchema: [
          { AttributeName: "PK", KeyType: "HASH" },
          { AttributeName: "at", KeyType: "RANGE" },
        ],
        Projection: { ProjectionType: "ALL" },
      },
    ]);
    expect(wire.AttributeDefinitions).toHaveLength(5);
  });
});
