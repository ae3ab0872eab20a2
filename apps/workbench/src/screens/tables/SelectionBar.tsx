import { useMutation } from "@tanstack/react-query";
import { Copy, Trash2, X } from "lucide-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import type { Item } from "../../api/client";
import { printPlain } from "../../lib/plainJson";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { readBase } from "./data";
import css from "./grid.module.css";
import { type IndexInfo, keyOf, type TableInfo } from "./schema";
import { stage } from "./staged";
import type { Selection } from "./useSelection";

interface Props {
  connection: string;
  readOnly: boolean;
  table: TableInfo;
  from: IndexInfo | undefined;
  selection: Selection;
}

const kinds = ["plain", "dynamo", "keys"] as const;

/** What can be done with the chosen rows. */
export function SelectionBar({ connection, readOnly, table, from, selection }: Props) {
  const t = useTranslations("tables");
  const [copied, setCopied] = useState<string | null>(null);
  const rows = [...selection.rows.values()];
  const text = (kind: (typeof kinds)[number]) => {
    if (kind === "plain") return `[${rows.map(printPlain).join(",\n")}]`;
    return JSON.stringify(kind === "keys" ? rows.map((row) => keyOf(table, row)) : rows, null, 2);
  };
  const copy = async (kind: (typeof kinds)[number]) => {
    await navigator.clipboard.writeText(text(kind));
    setCopied(kind);
  };
  const remove = useMutation({
    mutationFn: async () => {
      // A delete is guarded by the whole item: what an index leaves out is read first.
      const bases = from === undefined ? null : await readBase(connection, table, rows);
      const wholes = bases === null ? rows : [...bases.values()];
      stage(connection, ...wholes.map((item: Item) => deletion(table, item)));
      selection.set([]);
    },
  });
  return (
    <div className={css.selection} role="toolbar" aria-label={t("chosen", { n: rows.length })}>
      <strong>{t("chosen", { n: rows.length })}</strong>
      {kinds.map((kind) => (
        <Button key={kind} tone="quiet" onPress={() => copy(kind)}>
          <Copy aria-hidden size="1em" /> {t(`copy.${kind}`)}
        </Button>
      ))}
      <span role="status">{copied && t("copied")}</span>
      {!readOnly && (
        <Button tone="quiet" isDisabled={remove.isPending} onPress={() => remove.mutate()}>
          <Trash2 aria-hidden size="1em" /> {t("stageDelete")}
        </Button>
      )}
      <Button tone="quiet" aria-label={t("chooseNone")} onPress={() => selection.set([])}>
        <X aria-hidden size="1em" />
      </Button>
      {remove.error && <ProblemPanel error={remove.error} />}
    </div>
  );
}

const deletion = (table: TableInfo, item: Item) => ({
  table,
  key: keyOf(table, item),
  before: item,
  after: null,
});
