import { Pencil } from "lucide-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import type { AttributeValue, Item } from "../api/client";
import { Button } from "./Button";
import css from "./item.module.css";
import { ValueEditor } from "./ValueEditor";
import { ValueView } from "./ValueView";

interface Props {
  item: Item;
  /** Shown on top: the keys. */
  first?: string[];
  chips?: boolean;
  /** Attributes that can be changed here, also those that the item lacks. */
  editable?: string[];
  onEdit?: (name: string, value: AttributeValue) => void;
}

/** An item's attributes: keys on top, the rest by name. */
export function ItemTable({ item, first = [], chips = true, editable = [], onEdit }: Props) {
  const t = useTranslations("tables");
  const [editing, setEditing] = useState<string | null>(null);
  const rest = [...new Set([...Object.keys(item), ...editable])]
    .filter((name) => !first.includes(name))
    .sort();
  return (
    <dl className={css.item}>
      {[...first.filter((name) => name in item), ...rest].map((name) => {
        const value = item[name];
        if (editing === name)
          return (
            <div key={name} className={css.editing}>
              <dt>{name}</dt>
              <dd>
                <ValueEditor
                  name={name}
                  value={value}
                  onDone={(next) => {
                    setEditing(null);
                    onEdit?.(name, next);
                  }}
                  onCancel={() => setEditing(null)}
                />
              </dd>
            </div>
          );
        return (
          <div key={name} data-key={first.includes(name) || undefined}>
            <dt title={name}>{name}</dt>
            <dd>
              {value ? <ValueView name={name} value={value} chip={chips} /> : "–"}
              {onEdit && editable.includes(name) && (
                <Button tone="quiet" aria-label={t("edit", { name })} onPress={() => setEditing(name)}>
                  <Pencil aria-hidden size="1em" />
                </Button>
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
