import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { Button } from "../../parts/Button";
import { ConfirmByName } from "../../parts/ConfirmByName";
import { send } from "./data";
import { type Keys, partsOf, type TableInfo } from "./schema";
import css from "./structure.module.css";

interface Props {
  connection: string;
  readOnly: boolean;
  table: TableInfo;
}

/** What a table is, as DescribeTable says: its keys, its indexes and what they copy, its size. */
export function Structure({ connection, readOnly, table }: Props) {
  const t = useTranslations("structure");
  const format = useFormatter();
  return (
    <div className={css.structure}>
      <dl className={css.facts}>
        {(
          [
            [t("status"), table.status],
            [t("billing"), table.billing],
            [t("items"), format.number(table.items)],
            [t("bytes"), format.number(table.bytes)],
            ["ARN", table.arn],
          ] as const
        ).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <table className={css.keys}>
        <caption>{t("caption")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("place")}</th>
            <th scope="col">{t("partitionKey")}</th>
            <th scope="col">{t("sortKey")}</th>
            <th scope="col">{t("copies")}</th>
            <th scope="col">{t("items")}</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">{table.name}</th>
            <KeyCells keys={table.keys} />
            <td>{t("whole")}</td>
            <td>{format.number(table.items)}</td>
          </tr>
          {table.indexes.map((index) => (
            <tr key={index.name} data-index>
              <th scope="row">
                {index.name} <small>{index.global ? "GSI" : "LSI"}</small>
              </th>
              <KeyCells keys={index.keys} />
              <td>
                {index.projects === "ALL"
                  ? "ALL"
                  : index.projects.length === 0
                    ? "KEYS_ONLY"
                    : `INCLUDE ${index.projects.join(", ")}`}
              </td>
              <td>{format.number(index.items)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {!readOnly && <DeleteTable connection={connection} name={table.name} />}
    </div>
  );
}

function KeyCells({ keys }: { keys: Keys }) {
  const [hash, range] = partsOf(keys);
  return (
    <>
      <td>
        <code>{hash?.name}</code> <small>{hash?.type}</small>
      </td>
      <td>
        {range ? (
          <>
            <code>{range.name}</code> <small>{range.type}</small>
          </>
        ) : (
          "–"
        )}
      </td>
    </>
  );
}

function DeleteTable({ connection, name }: { connection: string; name: string }) {
  const t = useTranslations("structure");
  const navigate = useNavigate();
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const remove = useMutation({
    mutationFn: () => send(connection, "DeleteTable", { TableName: name }),
    onSuccess: async () => {
      setAsking(false);
      await navigate({ to: "/c/$connection/tables", params: { connection }, search: {} });
      client.removeQueries({ queryKey: ["table", connection, name] });
      await client.invalidateQueries({
        predicate: ({ queryKey }) => ["tables", "models"].includes(String(queryKey[0])),
      });
    },
  });
  return (
    <p>
      <Button onPress={() => setAsking(true)}>
        <Trash2 aria-hidden size="1em" /> {t("delete")}
      </Button>
      <ConfirmByName
        open={asking}
        title={t("deleteTitle", { name })}
        warning={t("deleteWarning")}
        name={name}
        action={t("delete")}
        pending={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onClose={() => setAsking(false)}
      />
    </p>
  );
}
