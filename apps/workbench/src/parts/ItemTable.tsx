import type { Item } from "../api/client";
import css from "./item.module.css";
import { ValueView } from "./ValueView";

/** An item's attributes: `first` ones on top (the keys), the rest by name. */
export function ItemTable({
  item,
  first = [],
  chips = true,
}: {
  item: Item;
  first?: string[];
  chips?: boolean;
}) {
  const rest = Object.keys(item)
    .filter((name) => !first.includes(name))
    .sort();
  return (
    <dl className={css.item}>
      {[...first.filter((name) => name in item), ...rest].map((name) => {
        const value = item[name];
        return value === undefined ? null : (
          <div key={name} data-key={first.includes(name) || undefined}>
            <dt>{name}</dt>
            <dd>
              <ValueView name={name} value={value} chip={chips} />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
