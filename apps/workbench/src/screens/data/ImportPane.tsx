import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { api, ask } from "../../api/client";
import { useNumbers } from "../../lib/useNumbers";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import type { TableInfo } from "../tables/schema";
import css from "./data.module.css";
import { sendFile, useLookAgain } from "./jobs";
import {
  type ColumnType,
  columnTypes,
  type Format,
  priceOf,
  type Sample,
  sampleOf,
  sizeText,
} from "./sample";

/** Bytes that a file is looked at by before anything is sent. */
const LOOK = 64 * 1024;

interface Props {
  connection: string;
  table: TableInfo;
  readOnly: boolean;
}

interface Chosen {
  file: File;
  text: string;
  sample: Sample;
}

/** A file into the table: what it seems to be is shown first, and can be said otherwise. */
export function ImportPane({ connection, table, readOnly }: Props) {
  const t = useTranslations("data");
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [over, setOver] = useState(false);
  const number = useNumbers();
  const again = useLookAgain(connection);
  const price = priceOf(chosen?.text ?? "", chosen?.file.size ?? 0, chosen?.sample.format === "csv");
  const parts = [table.keys.hash, ...(table.keys.range ? [table.keys.range] : [])];
  const keys = new Map(parts.map((part) => [part.name, part.type as string]));
  const take = async (file: File | undefined) => {
    if (file === undefined) return;
    const text = await file.slice(0, LOOK).text();
    setChosen({ file, text, sample: sampleOf(file.name, text, keys) });
  };
  const start = useMutation({
    mutationFn: async ({ file, sample }: Chosen) => {
      const types = Object.fromEntries(sample.columns.map((column) => [column.name, column.type]));
      const body = { table: table.name, format: sample.format, name: file.name, bytes: file.size, types };
      const job = await ask(
        api.POST("/c/{connection}/data/imports", { params: { path: { connection } }, body }),
      );
      setChosen(null);
      void again();
      // The job says itself how far it is; a file that cannot be sent leaves it waiting.
      void sendFile(connection, job, file).catch(() => undefined);
    },
  });
  const setFormat = (format: Format) =>
    chosen && setChosen({ ...chosen, sample: sampleOf(chosen.file.name, chosen.text, keys, format) });
  const setType = (name: string, type: ColumnType) =>
    chosen &&
    setChosen({
      ...chosen,
      sample: {
        ...chosen.sample,
        columns: chosen.sample.columns.map((c) => (c.name === name ? { ...c, type } : c)),
      },
    });
  if (readOnly) return <p className={css.quiet}>{t("readOnly")}</p>;
  return (
    <>
      <label
        className={css.drop}
        data-over={over || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          void take(event.dataTransfer.files[0]);
        }}
      >
        <strong>{chosen ? chosen.file.name : t("fileDrop")}</strong>
        <span className={css.pick}>{t(chosen ? "fileOther" : "fileChoose")}</span>
        <span className={css.quiet}>{chosen ? sizeText(chosen.file.size) : t("fileHint")}</span>
        {/* The browser's own button has its own look, and speaks its own language. */}
        <input
          type="file"
          className="visually-hidden"
          aria-label={t("file")}
          key={start.submittedAt}
          onChange={(event) => void take(event.target.files?.[0])}
        />
      </label>
      {chosen && (
        <>
          <FormatField value={chosen.sample.format} onChange={setFormat} />
          {chosen.sample.format === "csv" ? (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
            <section className={css.scroll} tabIndex={0} aria-label={t("columns")}>
              <table>
                <thead>
                  <tr>
                    <th scope="col">{t("column")}</th>
                    <th scope="col">{t("type")}</th>
                    <th scope="col">{t("firstValue")}</th>
                  </tr>
                </thead>
                <tbody>
                  {chosen.sample.columns.map((column) => (
                    <tr key={column.name}>
                      <th scope="row">{column.name}</th>
                      <td>
                        <select
                          aria-label={t("typeOf", { name: column.name })}
                          value={column.type}
                          disabled={keys.has(column.name)}
                          onChange={(event) => setType(column.name, event.target.value as ColumnType)}
                        >
                          {columnTypes.map((type) => (
                            <option key={type} value={type}>
                              {type === "skip" ? t("skip") : type}
                            </option>
                          ))}
                        </select>
                        {keys.has(column.name) && <small>{t("keyType")}</small>}
                      </td>
                      <td>
                        <code>{column.example}</code>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </section>
          ) : (
            <pre className={css.first}>{chosen.sample.first}</pre>
          )}
          <p className={css.quiet}>
            {t("importCost", {
              items: price.rows,
              wcu: number(price.units),
              indexes: table.indexes.length,
            })}
          </p>
          <p>
            <Button tone="primary" isDisabled={start.isPending} onPress={() => start.mutate(chosen)}>
              {t("start", { size: sizeText(chosen.file.size), table: table.name })}
            </Button>
          </p>
        </>
      )}
      {start.error && <ProblemPanel error={start.error} />}
    </>
  );
}

/** What a file is written in. */
export function FormatField({ value, onChange }: { value: Format; onChange: (format: Format) => void }) {
  const t = useTranslations("data");
  return (
    <label className={css.field}>
      <span>{t("format")}</span>
      <select value={value} onChange={(event) => onChange(event.target.value as Format)}>
        {(["csv", "json", "dynamodb"] as const).map((format) => (
          <option key={format} value={format}>
            {t(format)}
          </option>
        ))}
      </select>
    </label>
  );
}
