import { useQuery } from "@tanstack/react-query";
import { CopyPlus, Trash2, X } from "lucide-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import type { AttributeValue, Item } from "../../api/client";
import { text } from "../../lib/value";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { ReceiptLine } from "../../parts/ReceiptLine";
import { NewMember, ValueTree } from "../../parts/ValueTree";
import { kindOf } from "./change";
import { itemQuery } from "./data";
import { type Form, ItemJson } from "./ItemJson";
import css from "./inspector.module.css";
import { partsOf, type TableInfo } from "./schema";
import { stage, stagedFor, useStaged } from "./staged";

interface Props {
  connection: string;
  readOnly: boolean;
  table: TableInfo;
  itemKey: Item;
  onDuplicate: (item: Item) => void;
  onClose: () => void;
}

/** One item whole, read from the table itself: what an index leaves out is here. */
export function Inspector({ connection, readOnly, table, itemKey, onDuplicate, onClose }: Props) {
  const t = useTranslations("tables");
  const [form, setForm] = useState<Form | "tree">("tree");
  const read = useQuery(itemQuery(connection, table, itemKey));
  const stored = (read.data?.output.Item ?? null) as Item | null;
  const change = stagedFor(useStaged(), table, itemKey);
  const item = change ? change.after : stored;
  const put = (after: Item | null) =>
    stage(connection, { table, key: itemKey, before: change ? change.before : stored, after });
  const title = Object.values(itemKey).map(text).join(" · ");
  const write = readOnly ? undefined : put;
  return (
    <aside className={css.inspector} aria-label={t("item")}>
      <header className={css.head}>
        <h2 title={title}>
          <small>{t("item")}</small>
          <span>{title}</span>
        </h2>
        {write && item !== null && (
          <>
            <Button tone="quiet" aria-label={t("duplicate")} onPress={() => onDuplicate(item)}>
              <CopyPlus aria-hidden size="1em" />
            </Button>
            <Button tone="quiet" aria-label={t("delete")} onPress={() => write(null)}>
              <Trash2 aria-hidden size="1em" />
            </Button>
          </>
        )}
        <Button tone="quiet" aria-label={t("close")} onPress={onClose}>
          <X aria-hidden size="1em" />
        </Button>
      </header>
      {item !== null && (
        <fieldset className={css.forms}>
          <legend className="visually-hidden">{t("shownAs")}</legend>
          {(["tree", "plain", "dynamo"] as const).map((each) => (
            <Button key={each} tone="quiet" aria-pressed={form === each} onPress={() => setForm(each)}>
              {t(`form.${each}`)}
            </Button>
          ))}
        </fieldset>
      )}
      {read.error && <ProblemPanel error={read.error} onRetry={() => read.refetch()} />}
      {change && <p className={css.staged}>{t(`stagedAs.${kindOf(change)}`)}</p>}
      {read.data && item === null && !change && <p className={css.empty}>{t("gone")}</p>}
      {item !== null && form === "tree" && (
        <Attributes table={table} item={item} before={change ? change.before : stored} onChange={write} />
      )}
      {item !== null && form !== "tree" && <ItemJson key={form} form={form} item={item} onDone={write} />}
      {read.data && (
        <footer>
          <ReceiptLine receipt={read.data.receipt} />
        </footer>
      )}
    </aside>
  );
}

interface AttributesProps {
  table: TableInfo;
  item: Item;
  before: Item | null;
  onChange?: ((item: Item) => void) | undefined;
}

/** The item's attributes, keys first; a changed key names itself a move. */
function Attributes({ table, item, before, onChange }: AttributesProps) {
  const t = useTranslations("tables");
  const keys = partsOf(table.keys);
  const indexed = table.indexes.flatMap((index) => partsOf(index.keys));
  const names = [
    ...keys.map((part) => part.name),
    ...Object.keys(item)
      .filter((name) => !keys.some((part) => part.name === name))
      .sort(),
  ];
  const without = (name: string) =>
    Object.fromEntries(Object.entries(item).filter(([each]) => each !== name));
  return (
    <>
      <dl className={css.attributes}>
        {names.map((name) => {
          const value = item[name];
          const key = keys.find((part) => part.name === name);
          const part = key ?? indexed.find((each) => each.name === name);
          if (value === undefined) return null;
          return (
            <div key={name} data-changed={differs(before?.[name], value) || undefined}>
              <dt data-key={key !== undefined || undefined}>{name}</dt>
              <dd>
                <ValueTree
                  name={name}
                  value={value}
                  types={part && [part.type]}
                  note={key && before !== null ? t("movesItem") : undefined}
                  onChange={onChange && ((next) => onChange({ ...item, [name]: next }))}
                  onRemove={onChange && !key ? () => onChange(without(name)) : undefined}
                />
              </dd>
            </div>
          );
        })}
      </dl>
      {onChange && (
        <NewMember
          of=""
          taken={Object.keys(item)}
          onAdd={(name, value) => onChange({ ...item, [name]: value })}
        />
      )}
    </>
  );
}

const differs = (a: AttributeValue | undefined, b: AttributeValue | undefined) =>
  JSON.stringify(a) !== JSON.stringify(b);
