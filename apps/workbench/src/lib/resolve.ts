import type { AttributeValue } from "../api/client";
import { text } from "./value";

/** An expression with its placeholders replaced by the names and values that they stand for. */
export function resolve(
  expression: string,
  names: Record<string, string> = {},
  values: Record<string, AttributeValue> = {},
): string {
  return expression.replace(/[#:][A-Za-z0-9_]+/g, (placeholder) => {
    if (placeholder in names) return names[placeholder] ?? placeholder;
    const value = values[placeholder];
    return value === undefined ? placeholder : text(value);
  });
}

/** One action of a transaction, in words. */
export interface ActionInWords {
  kind: string;
  key: string;
  change: string | null;
  condition: string | null;
}

type Members = Record<string, unknown> & {
  Key?: Record<string, AttributeValue>;
  Item?: Record<string, AttributeValue>;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, AttributeValue>;
  UpdateExpression?: string;
  ConditionExpression?: string;
};

/** What a write request does, action by action. `keys` names the key's attributes, which a Put does not mark. */
export function actionsOf(request: unknown, keys: string[]): ActionInWords[] {
  const whole = (request ?? {}) as { TransactItems?: Record<string, Members>[] } & Members;
  const actions = whole.TransactItems ?? [{ [whole.Item ? "Put" : "Update"]: whole }];
  return actions.map((action) => {
    const [kind = "", members = {} as Members] = Object.entries(action)[0] ?? [];
    const { Key, Item, ExpressionAttributeNames: names, ExpressionAttributeValues: values } = members;
    const key = Key ?? Object.fromEntries(keys.flatMap((k) => (Item?.[k] ? [[k, Item[k]]] : [])));
    const said = (expression: string | undefined) =>
      expression === undefined ? null : resolve(expression, names, values);
    return {
      kind,
      key: Object.values(key).map(text).join(" · "),
      change: said(members.UpdateExpression),
      condition: said(members.ConditionExpression),
    };
  });
}

/** The token that makes a transaction safe to send again. */
export const tokenOf = (request: unknown): string | null =>
  (request as { ClientRequestToken?: string } | null)?.ClientRequestToken ?? null;
