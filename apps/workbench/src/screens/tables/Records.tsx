import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight, Pause, Play } from "lucide-react";
import { useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { useCommands } from "../../lib/commands";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { ValueView } from "../../parts/ValueView";
import { send } from "./data";
import { changesOf, HELD, type StreamRecord, useRecords } from "./records";
import css from "./records.module.css";
import type { TableInfo } from "./schema";

/** Records on one page. */
const PAGE = 50;

interface Props {
  connection: string;
  readOnly: boolean;
  table: TableInfo;
}

/** A table's changes as its stream has them. */
export function Records({ connection, readOnly, table }: Props) {
  return table.stream === null ? (
    <NoStream connection={connection} readOnly={readOnly} table={table} />
  ) : (
    <Reading connection={connection} arn={table.stream.arn} keys={keyNames(table)} />
  );
}

const keyNames = ({ keys }: TableInfo) => [keys.hash.name, ...(keys.range ? [keys.range.name] : [])];

function NoStream({ connection, readOnly, table }: Props) {
  const t = useTranslations("records");
  const client = useQueryClient();
  const turnOn = useMutation({
    mutationFn: () =>
      send(connection, "UpdateTable", {
        TableName: table.name,
        StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["table", connection, table.name] }),
  });
  return (
    <div className={css.records}>
      <h2>{t("off")}</h2>
      <p>{t("offHint")}</p>
      {readOnly ? (
        <p>{t("readOnly")}</p>
      ) : (
        <p>
          <Button tone="primary" isDisabled={turnOn.isPending} onPress={() => turnOn.mutate()}>
            {t("turnOn")}
          </Button>
        </p>
      )}
      {turnOn.error && <ProblemPanel error={turnOn.error} />}
    </div>
  );
}

function Reading({ connection, arn, keys }: { connection: string; arn: string; keys: string[] }) {
  const t = useTranslations("records");
  const [paused, setPaused] = useState(false);
  const [page, setPage] = useState(0);
  // On an older page nothing may push the rows on.
  const { rows, problem, settled } = useRecords(connection, arn, paused || page > 0);
  const from = page * PAGE;
  const shown = rows.slice(from, from + PAGE);
  useCommands([
    {
      id: "records/pause",
      group: "actions",
      label: t(paused ? "resume" : "pause"),
      keys: "p",
      run: () => setPaused(!paused),
    },
  ]);
  return (
    <div className={css.records}>
      <div className={css.head}>
        <h2>{t("title")}</h2>
        <Button tone={paused ? "primary" : "plain"} onPress={() => setPaused(!paused)}>
          {paused ? <Play aria-hidden size="1em" /> : <Pause aria-hidden size="1em" />}
          {t(paused ? "resume" : "pause")}
        </Button>
        <Button tone="quiet" isDisabled={page === 0} onPress={() => setPage(page - 1)}>
          <ChevronLeft aria-hidden size="1em" /> {t("newer")}
        </Button>
        <Button tone="quiet" isDisabled={from + PAGE >= rows.length} onPress={() => setPage(page + 1)}>
          {t("older")} <ChevronRight aria-hidden size="1em" />
        </Button>
      </div>
      <p>{t("hint")}</p>
      {problem && <ProblemPanel error={problem} />}
      {settled && rows.length === 0 && !problem && <p>{t("none")}</p>}
      {rows.length > 0 && (
        <>
          <p role="status">
            {t("page", { from: from + 1, to: from + shown.length, all: rows.length })}
            {rows.length === HELD && ` ${t("held", { n: HELD })}`}
          </p>
          <ol className={css.list} aria-label={t("list")}>
            {shown.map((record) => (
              <li key={record.id}>
                <RecordView record={record} keys={keys} />
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  );
}

function RecordView({ record, keys }: { record: StreamRecord; keys: string[] }) {
  const t = useTranslations("records");
  const format = useFormatter();
  const changes = changesOf(record);
  return (
    <details>
      <summary>
        <span className={css.kind} data-kind={record.kind}>
          {t("kind", { kind: record.kind })}
        </span>
        <time dateTime={new Date(record.at * 1000).toISOString()}>
          {format.dateTime(record.at * 1000, {
            month: "2-digit",
            day: "2-digit",
            hour: "2-digit",
            minute: "2-digit",
            second: "2-digit",
            hourCycle: "h23",
          })}
        </time>
        <span className={css.key}>
          {keys.map((name) => {
            const value = record.keys[name];
            return value && <ValueView key={name} name={name} value={value} chip={false} />;
          })}
        </span>
        <span className={css.who} title={record.service ?? undefined}>
          {t("by", { who: t(record.service === null ? "app" : "ttl") })}
        </span>
      </summary>
      {changes.length === 0 ? (
        <p>{t("noImage")}</p>
      ) : (
        <table className={css.changes}>
          <thead>
            <tr>
              <th scope="col">{t("attribute")}</th>
              <th scope="col">{t("before")}</th>
              <th scope="col">{t("after")}</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ name, before, after, changed }) => (
              <tr key={name} data-changed={changed || undefined}>
                <th scope="row">{name}</th>
                <td>{before ? <ValueView name={name} value={before} /> : "–"}</td>
                <td>{after ? <ValueView name={name} value={after} /> : "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </details>
  );
}
