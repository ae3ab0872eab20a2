import { useQuery } from "@tanstack/react-query";
import { Pencil, Trash2, X } from "lucide-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import type { Item } from "../../api/client";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { ReceiptLine } from "../../parts/ReceiptLine";
import { ValueEditor } from "../../parts/ValueEditor";
import { ValueView } from "../../parts/ValueView";
import { send } from "./data";
import { keyText, type TableInfo } from "./schema";
import { stage, stagedFor, useStaged } from "./staged";
import css from "./tables.module.css";

interface Props {
  connection: string;
  readOnly: boolean;
  table: TableInfo;
  itemKey: Item;
  onClose: () => void;
}

/** One item whole, read from the table itself: what an index leaves out is here. */
export function Inspector({ connection, readOnly, table, itemKey, onClose }: Props) {
  const t = useTranslations("tables");
  const [editing, setEditing] = useState<string | null>(null);
  const [raw, setRaw] = useState(false);
  const read = useQuery({
    queryKey: ["item", connection, table.name, keyText(itemKey)],
    queryFn: ({ signal }) =>
      send(connection, "GetItem", { TableName: table.name, Key: itemKey, ConsistentRead: true }, signal),
  });
  const stored = (read.data?.output.Item ?? null) as Item | null;
  const change = stagedFor(useStaged(), table, itemKey);
  const item = change ? change.after : stored;
  const put = (after: Item | null) => {
    stage(connection, { table, key: itemKey, before: stored, after });
    setEditing(null);
  };
  const names =
    item === null
      ? []
      : [
          ...Object.keys(itemKey),
          ...Object.keys(item)
            .filter((n) => !(n in itemKey))
            .sort(),
        ];
  return (
    <aside className={css.inspector} aria-label={t("item")}>
      <header className={css.inspectorHead}>
        <h2>{t("item")}</h2>
        <Button tone="quiet" aria-pressed={raw} onPress={() => setRaw(!raw)}>
          {raw ? t("attributes") : t("json")}
        </Button>
        {!readOnly && item !== null && (
          <Button tone="quiet" aria-label={t("delete")} onPress={() => put(null)}>
            <Trash2 aria-hidden size="1em" />
          </Button>
        )}
        <Button tone="quiet" aria-label={t("close")} onPress={onClose}>
          <X aria-hidden size="1em" />
        </Button>
      </header>
      {read.error && <ProblemPanel error={read.error} onRetry={() => read.refetch()} />}
      {read.data && item === null && <p className={css.empty}>{change ? t("stagedDelete") : t("gone")}</p>}
      {item !== null && raw && <pre className={css.raw}>{JSON.stringify(item, null, 2)}</pre>}
      {item !== null && !raw && (
        <dl className={css.attributes}>
          {names.map((name) => {
            const value = item[name];
            const key = name in itemKey;
            if (editing === name)
              return (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>
                    <ValueEditor
                      name={name}
                      value={value}
                      onDone={(v) => put({ ...item, [name]: v })}
                      onCancel={() => setEditing(null)}
                    />
                  </dd>
                </div>
              );
            return (
              <div
                key={name}
                data-changed={
                  (change && JSON.stringify(stored?.[name]) !== JSON.stringify(value)) || undefined
                }
              >
                <dt data-key={key || undefined}>{name}</dt>
                <dd>
                  {value && <ValueView name={name} value={value} />}
                  {!key && !readOnly && (
                    <Button tone="quiet" aria-label={t("edit", { name })} onPress={() => setEditing(name)}>
                      <Pencil aria-hidden size="1em" />
                    </Button>
                  )}
                </dd>
              </div>
            );
          })}
        </dl>
      )}
      <footer>
        <ReceiptLine receipt={read.data?.receipt} />
      </footer>
    </aside>
  );
}
