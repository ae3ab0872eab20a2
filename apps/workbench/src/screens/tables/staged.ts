import { create } from "zustand";
import type { AttributeValue, Item } from "../../api/client";
import { Placeholders } from "../../lib/expression";
import { send } from "./data";
import { keyText, type TableInfo } from "./schema";

/** One item before and after; null is absence. */
export interface Change {
  table: TableInfo;
  key: Item;
  before: Item | null;
  after: Item | null;
}

interface Staged {
  connection: string;
  changes: Map<string, Change>;
  /** The changes of the last commit, for undo. */
  committed: Change[];
}

const id = (table: TableInfo, key: Item) => `${table.name}\n${keyText(key)}`;
const same = (a: AttributeValue | undefined, b: AttributeValue | undefined) =>
  JSON.stringify(a) === JSON.stringify(b);

/** Changes collected like a git index, over all tables of a connection. */
export const useStaged = create<Staged>(() => ({ connection: "", changes: new Map(), committed: [] }));

export const stagedFor = (staged: Staged, table: TableInfo, key: Item): Change | undefined =>
  staged.changes.get(id(table, key));

/** Stages a change; one that ends where it began is dropped. */
export function stage(connection: string, change: Change): void {
  useStaged.setState((s) => {
    const changes = new Map(s.connection === connection ? s.changes : []);
    const at = id(change.table, change.key);
    const first = changes.get(at);
    const whole = first ? { ...change, before: first.before } : change;
    if (JSON.stringify(sorted(whole.before)) === JSON.stringify(sorted(whole.after))) changes.delete(at);
    else changes.set(at, whole);
    return { ...s, connection, changes };
  });
}

const sorted = (item: Item | null) =>
  item === null ? null : Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1));

export function reject(change: Change): void {
  useStaged.setState((s) => {
    const changes = new Map(s.changes);
    changes.delete(id(change.table, change.key));
    return { ...s, changes };
  });
}

export function rejectAll(): void {
  useStaged.setState({ changes: new Map() });
}

/** Attributes that differ, with both values. */
export function differences(
  change: Change,
): { name: string; before?: AttributeValue; after?: AttributeValue }[] {
  const names = new Set([...Object.keys(change.before ?? {}), ...Object.keys(change.after ?? {})]);
  return [...names].sort().flatMap((name) => {
    const before = change.before?.[name];
    const after = change.after?.[name];
    if (same(before, after)) return [];
    return [{ name, ...(before ? { before } : {}), ...(after ? { after } : {}) }];
  });
}

/** One action of the commit: it holds only while the values first seen are still there. */
export function actionOf(change: Change): Record<string, unknown> {
  const { table, key, before, after } = change;
  const names = new Placeholders();
  const failed = { ReturnValuesOnConditionCheckFailure: "ALL_OLD" };
  if (before === null) {
    const condition = `attribute_not_exists(${names.name(table.keys.hash.name)})`;
    return {
      Put: {
        TableName: table.name,
        Item: after,
        ConditionExpression: condition,
        ...names.members(),
        ...failed,
      },
    };
  }
  const seen = (list: ReturnType<typeof differences>) =>
    list
      .map(({ name, before: old }) =>
        old === undefined
          ? `attribute_not_exists(${names.name(name)})`
          : `${names.name(name)} = ${names.value(old)}`,
      )
      .join(" AND ");
  if (after === null) {
    const all = Object.entries(before).filter(([name]) => !(name in key));
    const guard = [
      `attribute_exists(${names.name(table.keys.hash.name)})`,
      ...all.map(([name, old]) => `${names.name(name)} = ${names.value(old)}`),
    ].join(" AND ");
    return {
      Delete: { TableName: table.name, Key: key, ConditionExpression: guard, ...names.members(), ...failed },
    };
  }
  const changed = differences(change);
  const set = changed.flatMap(({ name, after: v }) => (v ? [`${names.name(name)} = ${names.value(v)}`] : []));
  const remove = changed.flatMap(({ name, after: v }) => (v ? [] : [names.name(name)]));
  const update = [
    set.length > 0 ? `SET ${set.join(", ")}` : "",
    remove.length > 0 ? `REMOVE ${remove.join(", ")}` : "",
  ]
    .filter((part) => part !== "")
    .join(" ");
  const condition = `attribute_exists(${names.name(table.keys.hash.name)}) AND ${seen(changed)}`;
  return {
    Update: {
      TableName: table.name,
      Key: key,
      UpdateExpression: update,
      ConditionExpression: condition,
      ...names.members(),
      ...failed,
    },
  };
}

/** Most actions of one transaction. Source: API Reference, TransactWriteItems. */
export const TRANSACTION_ACTIONS = 100;

/** Commits what is staged, in transactions of up to 100 actions; what was committed leaves the stage. */
export async function commit(): Promise<void> {
  const { connection, changes } = useStaged.getState();
  const all = [...changes.values()];
  const committed: Change[] = [];
  try {
    for (let at = 0; at < all.length; at += TRANSACTION_ACTIONS) {
      const part = all.slice(at, at + TRANSACTION_ACTIONS);
      await send(connection, "TransactWriteItems", {
        TransactItems: part.map(actionOf),
        ClientRequestToken: crypto.randomUUID(),
      });
      committed.push(...part);
    }
  } finally {
    useStaged.setState((s) => {
      const left = new Map(s.changes);
      for (const change of committed) left.delete(id(change.table, change.key));
      return { ...s, changes: left, committed: committed.length > 0 ? committed : s.committed };
    });
  }
}

/** Stages the opposite of the last commit, for review like any other change. */
export function undo(): void {
  useStaged.setState((s) => {
    const changes = new Map(s.changes);
    for (const c of s.committed) changes.set(id(c.table, c.key), { ...c, before: c.after, after: c.before });
    return { ...s, changes, committed: [] };
  });
}
