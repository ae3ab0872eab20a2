import type { ScalarType } from "./schema";

/** A key attribute as it is typed in; a sort key without a name is none. */
export interface KeyDraft {
  name: string;
  type: ScalarType;
}
export interface IndexDraft {
  id: number;
  name: string;
  local: boolean;
  hash: KeyDraft;
  range: KeyDraft;
  projection: "ALL" | "KEYS_ONLY" | "INCLUDE";
  include: string;
}
export interface TableDraft {
  name: string;
  hash: KeyDraft;
  range: KeyDraft;
  indexes: IndexDraft[];
  billing: "PAY_PER_REQUEST" | "PROVISIONED";
  reads: string;
  writes: string;
}

export const newDraft = (): TableDraft => ({
  name: "",
  hash: { name: "PK", type: "S" },
  range: { name: "SK", type: "S" },
  indexes: [],
  billing: "PAY_PER_REQUEST",
  reads: "5",
  writes: "5",
});

export const newIndex = (draft: TableDraft): IndexDraft => {
  const n = draft.indexes.length + 1;
  return {
    id: Math.max(0, ...draft.indexes.map((index) => index.id)) + 1,
    name: `GSI${n}`,
    local: false,
    hash: { name: `GSI${n}PK`, type: "S" },
    range: { name: `GSI${n}SK`, type: "S" },
    projection: "ALL",
    include: "",
  };
};

const schema = (hash: KeyDraft, range: KeyDraft) => [
  { AttributeName: hash.name, KeyType: "HASH" },
  ...(range.name === "" ? [] : [{ AttributeName: range.name, KeyType: "RANGE" }]),
];

/** The request that a draft is, as DynamoDB takes it. */
export function createRequest(draft: TableDraft): Record<string, unknown> {
  const types = new Map<string, ScalarType>();
  const note = (...keys: KeyDraft[]) => {
    for (const { name, type } of keys) if (name !== "" && !types.has(name)) types.set(name, type);
  };
  note(draft.hash, draft.range);
  const throughput = {
    ProvisionedThroughput: {
      ReadCapacityUnits: Number(draft.reads),
      WriteCapacityUnits: Number(draft.writes),
    },
  };
  const provisioned = draft.billing === "PROVISIONED";
  const indexes = draft.indexes.map((index) => {
    const hash = index.local ? draft.hash : index.hash;
    note(hash, index.range);
    const include = index.include
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "");
    return {
      local: index.local,
      wire: {
        IndexName: index.name,
        KeySchema: schema(hash, index.range),
        Projection: {
          ProjectionType: index.projection,
          ...(index.projection === "INCLUDE" ? { NonKeyAttributes: include } : {}),
        },
        ...(provisioned && !index.local ? throughput : {}),
      },
    };
  });
  const global = indexes.filter((index) => !index.local).map((index) => index.wire);
  const local = indexes.filter((index) => index.local).map((index) => index.wire);
  return {
    TableName: draft.name,
    KeySchema: schema(draft.hash, draft.range),
    AttributeDefinitions: [...types].map(([AttributeName, AttributeType]) => ({
      AttributeName,
      AttributeType,
    })),
    BillingMode: draft.billing,
    ...(provisioned ? throughput : {}),
    ...(global.length > 0 ? { GlobalSecondaryIndexes: global } : {}),
    ...(local.length > 0 ? { LocalSecondaryIndexes: local } : {}),
  };
}
