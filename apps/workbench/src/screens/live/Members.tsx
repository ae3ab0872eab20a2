import type { AttributeValue, Item } from "../../api/client";
import { resolve } from "../../lib/resolve";
import { ItemTable } from "../../parts/ItemTable";
import css from "./live.module.css";

/** Members that hold an item or a part of one. */
const ITEMS = new Set(["Key", "Item", "ExclusiveStartKey", "LastEvaluatedKey", "Attributes"]);
/** Members that the others speak for once their placeholders are replaced. */
const SPOKEN_FOR = new Set(["ExpressionAttributeNames", "ExpressionAttributeValues"]);

/** A request's members as a person reads them: placeholders replaced, keys and items as tables. */
export function Members({ members }: { members: Record<string, unknown> }) {
  const names = members.ExpressionAttributeNames as Record<string, string> | undefined;
  const values = members.ExpressionAttributeValues as Record<string, AttributeValue> | undefined;
  const shown = Object.entries(members).filter(([name]) => !SPOKEN_FOR.has(name));
  return (
    <dl className={css.members}>
      {shown.map(([name, value]) => (
        <div
          key={name}
          data-wide={ITEMS.has(name) || (typeof value === "object" && value !== null) || undefined}
        >
          <dt>{name}</dt>
          <dd>
            {ITEMS.has(name) ? (
              <ItemTable item={value as Item} />
            ) : typeof value === "string" ? (
              <code>{name.endsWith("Expression") ? resolve(value, names, values) : value}</code>
            ) : typeof value === "object" && value !== null ? (
              <Nested value={value} />
            ) : (
              <code>{String(value)}</code>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The actions of a transaction or batch as members again; anything else as JSON. */
function Nested({ value }: { value: object }) {
  if (Array.isArray(value) && value.length > 0 && value.every(isAction))
    return (
      <ol className={css.actions}>
        {value.map((action, i) => {
          const [kind, members] = Object.entries(action)[0] as [string, Record<string, unknown>];
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: actions of one request, in its order
            <li key={i}>
              <strong>
                {i + 1} {kind}
              </strong>
              <Members members={members} />
            </li>
          );
        })}
      </ol>
    );
  return <pre>{JSON.stringify(value, null, 2)}</pre>;
}

const ACTION = /^(Put|Update|Delete|Get|ConditionCheck)(Request)?$/;

const isAction = (value: unknown) => {
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  const [entry] = entries;
  return entries.length === 1 && entry !== undefined && ACTION.test(entry[0]) && typeof entry[1] === "object";
};
