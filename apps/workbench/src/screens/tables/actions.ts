import type { Item } from "../../api/client";
import { Placeholders } from "../../lib/expression";
import { type Change, differences, kindOf } from "./change";
import { keyOf } from "./schema";

/** Most actions of one transaction. Source: API Reference, TransactWriteItems. */
export const TRANSACTION_ACTIONS = 100;
/** Characters of JSON in one transaction: under the 4 MB that DynamoDB takes, whatever the encoding adds. */
const TRANSACTION_CHARS = 3_000_000;

/**
 * Attributes that one action names, at most: an expression has 4 KB and 300 operators. Source: Developer Guide,
 * "Quotas in Amazon DynamoDB", Expression parameters. An item of more is guarded by the first of them.
 */
const NAMED = 100;

/** One action of a transaction, as DynamoDB takes it, and the change that it belongs to. */
export interface Action {
  change: Change;
  wire: Record<string, unknown>;
}

const failed = { ReturnValuesOnConditionCheckFailure: "ALL_OLD" };

/** The actions of one change: each holds only while the values first seen are still there. A move is two. */
export function actionsOf(change: Change): Action[] {
  const { before, after } = change;
  const kind = kindOf(change);
  const wires: Record<string, unknown>[] = [];
  if (kind === "changed") wires.push(update(change));
  else {
    if (after !== null) wires.push(put(change, after));
    if (before !== null) wires.push(remove(change, before));
  }
  return wires.map((wire) => ({ change, wire }));
}

/** The changes as transactions: no move is parted, each within the limits of one. */
export function batchesOf(changes: Change[]): Action[][] {
  const batches: Action[][] = [];
  let chars = 0;
  for (const change of changes) {
    const actions = actionsOf(change);
    const size = JSON.stringify(actions.map((action) => action.wire)).length;
    const last = batches.at(-1);
    if (last && last.length + actions.length <= TRANSACTION_ACTIONS && chars + size <= TRANSACTION_CHARS) {
      last.push(...actions);
      chars += size;
    } else {
      batches.push(actions);
      chars = size;
    }
  }
  return batches;
}

function put({ table }: Change, item: Item): Record<string, unknown> {
  const names = new Placeholders();
  const condition = `attribute_not_exists(${names.name(table.keys.hash.name)})`;
  return {
    Put: {
      TableName: table.name,
      Item: item,
      ConditionExpression: condition,
      ...names.members(),
      ...failed,
    },
  };
}

function remove({ table }: Change, before: Item): Record<string, unknown> {
  const names = new Placeholders();
  const key = keyOf(table, before);
  const rest = Object.entries(before)
    .filter(([name]) => !(name in key))
    .slice(0, NAMED);
  const guard = [
    `attribute_exists(${names.name(table.keys.hash.name)})`,
    ...rest.map(([name, old]) => `${names.name(name)} = ${names.value(old)}`),
  ].join(" AND ");
  return {
    Delete: { TableName: table.name, Key: key, ConditionExpression: guard, ...names.members(), ...failed },
  };
}

function update(change: Change): Record<string, unknown> {
  const { table, key } = change;
  const names = new Placeholders();
  const changed = differences(change);
  const seen = changed
    .slice(0, NAMED)
    .map(({ name, before }) =>
      before === undefined
        ? `attribute_not_exists(${names.name(name)})`
        : `${names.name(name)} = ${names.value(before)}`,
    );
  const exists = `attribute_exists(${names.name(table.keys.hash.name)})`;
  const condition = [exists, ...seen].join(" AND ");
  // More changes than an expression can name are written as the whole item.
  if (changed.length > NAMED)
    return {
      Put: {
        TableName: table.name,
        Item: change.after,
        ConditionExpression: condition,
        ...names.members(),
        ...failed,
      },
    };
  const set = changed.flatMap(({ name, after }) =>
    after ? [`${names.name(name)} = ${names.value(after)}`] : [],
  );
  const gone = changed.flatMap(({ name, after }) => (after ? [] : [names.name(name)]));
  const parts = [
    ...(set.length > 0 ? [`SET ${set.join(", ")}`] : []),
    ...(gone.length > 0 ? [`REMOVE ${gone.join(", ")}`] : []),
  ];
  return {
    Update: {
      TableName: table.name,
      Key: key,
      UpdateExpression: parts.join(" "),
      ConditionExpression: condition,
      ...names.members(),
      ...failed,
    },
  };
}
