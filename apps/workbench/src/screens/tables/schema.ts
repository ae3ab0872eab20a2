import type { AttributeValue, Item } from "../../api/client";

export type ScalarType = "S" | "N" | "B";
export interface KeyPart {
  name: string;
  type: ScalarType;
}
export interface Keys {
  hash: KeyPart;
  range: KeyPart | null;
}
export interface IndexInfo {
  name: string;
  keys: Keys;
  /** GSIs are never strongly consistent. */
  global: boolean;
  /** What the index copies: every attribute, or the keys and these. */
  projects: "ALL" | string[];
  items: number;
}
export interface TableInfo {
  name: string;
  keys: Keys;
  indexes: IndexInfo[];
  items: number;
  bytes: number;
  status: string;
  billing: string;
  arn: string;
  /** The stream that is kept now, and what its records carry; null where none is. */
  stream: { arn: string; view: string } | null;
}

interface WireKeys {
  KeySchema: { AttributeName: string; KeyType: string }[];
}
interface WireIndex extends WireKeys {
  IndexName: string;
  Projection: { ProjectionType: string; NonKeyAttributes?: string[] };
  ItemCount?: number;
}
interface WireTable extends WireKeys {
  TableName: string;
  TableStatus: string;
  TableArn?: string;
  ItemCount?: number;
  TableSizeBytes?: number;
  AttributeDefinitions: { AttributeName: string; AttributeType: ScalarType }[];
  BillingModeSummary?: { BillingMode: string };
  LatestStreamArn?: string;
  StreamSpecification?: { StreamEnabled?: boolean; StreamViewType?: string };
  GlobalSecondaryIndexes?: WireIndex[];
  LocalSecondaryIndexes?: WireIndex[];
}

/** A table's description, as DescribeTable gives it, in the workbench's terms. */
export function readTable(wire: WireTable): TableInfo {
  const typeOf = new Map(wire.AttributeDefinitions.map((d) => [d.AttributeName, d.AttributeType]));
  const keysOf = ({ KeySchema }: WireKeys): Keys => {
    const part = (role: string): KeyPart | null => {
      const name = KeySchema.find((k) => k.KeyType === role)?.AttributeName;
      return name === undefined ? null : { name, type: typeOf.get(name) ?? "S" };
    };
    return { hash: part("HASH") ?? { name: "", type: "S" }, range: part("RANGE") };
  };
  const indexOf =
    (global: boolean) =>
    (index: WireIndex): IndexInfo => ({
      name: index.IndexName,
      keys: keysOf(index),
      global,
      projects: index.Projection.ProjectionType === "ALL" ? "ALL" : (index.Projection.NonKeyAttributes ?? []),
      items: index.ItemCount ?? 0,
    });
  return {
    name: wire.TableName,
    keys: keysOf(wire),
    indexes: [
      ...(wire.GlobalSecondaryIndexes ?? []).map(indexOf(true)),
      ...(wire.LocalSecondaryIndexes ?? []).map(indexOf(false)),
    ],
    items: wire.ItemCount ?? 0,
    bytes: wire.TableSizeBytes ?? 0,
    status: wire.TableStatus,
    billing: wire.BillingModeSummary?.BillingMode ?? "PROVISIONED",
    arn: wire.TableArn ?? "",
    stream:
      wire.StreamSpecification?.StreamEnabled && wire.LatestStreamArn
        ? { arn: wire.LatestStreamArn, view: wire.StreamSpecification.StreamViewType ?? "" }
        : null,
  };
}

export const partsOf = (keys: Keys): KeyPart[] =>
  keys.range === null ? [keys.hash] : [keys.hash, keys.range];

/** The part of an item that names it in its table. */
export function keyOf(table: TableInfo, item: Item): Item {
  return Object.fromEntries(
    partsOf(table.keys).flatMap(({ name }) => {
      const value = item[name];
      return value === undefined ? [] : [[name, value] as [string, AttributeValue]];
    }),
  );
}

/** Whether an index copies an attribute; what it does not copy cannot be told from what is absent. */
export function isProjected(table: TableInfo, index: IndexInfo | undefined, attribute: string): boolean {
  if (index === undefined || index.projects === "ALL") return true;
  const keys = [...partsOf(table.keys), ...partsOf(index.keys)];
  return keys.some((k) => k.name === attribute) || index.projects.includes(attribute);
}
