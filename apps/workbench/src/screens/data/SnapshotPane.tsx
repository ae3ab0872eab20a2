import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Camera } from "lucide-react";
import { useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { api, ask } from "../../api/client";
import { Button } from "../../parts/Button";
import { ConfirmByName } from "../../parts/ConfirmByName";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { send } from "../tables/data";
import type { Keys } from "../tables/schema";
import { DiffView } from "./DiffView";
import css from "./data.module.css";
import { useLookAgain } from "./jobs";
import { sizeText } from "./sample";

interface Backup {
  BackupArn: string;
  BackupName: string;
  BackupStatus: string;
  BackupCreationDateTime: number;
  BackupSizeBytes?: number;
}

interface Props {
  connection: string;
  table: string;
  keys: Keys | never[];
  readOnly: boolean;
}

const MAKING_MS = 500;

/** Snapshots of the table: taken, compared with what it is now, and gone back to. They are DynamoDB's backups. */
export function SnapshotPane({ connection, table, keys, readOnly }: Props) {
  const t = useTranslations("data");
  const format = useFormatter();
  const client = useQueryClient();
  const again = useLookAgain(connection);
  const key = ["backups", connection, table];
  const backups = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const { output } = await send(connection, "ListBackups", { TableName: table }, signal);
      return ((output.BackupSummaries ?? []) as Backup[]).reverse();
    },
    refetchInterval: ({ state }) =>
      state.data?.some((backup) => backup.BackupStatus === "CREATING") ? MAKING_MS : false,
  });
  const [asked, setAsked] = useState<{ what: "reset" | "remove"; backup: Backup } | null>(null);
  const [compared, setCompared] = useState<Backup | null>(null);
  const take = useMutation({
    mutationFn: () => {
      const now = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
      return send(connection, "CreateBackup", { TableName: table, BackupName: `${table}-${now}` });
    },
    onSuccess: () => client.invalidateQueries({ queryKey: key }),
  });
  const act = useMutation({
    mutationFn: async ({ what, backup }: { what: "reset" | "remove"; backup: Backup }) => {
      if (what === "remove")
        return void (await send(connection, "DeleteBackup", { BackupArn: backup.BackupArn }));
      const body = { backup: backup.BackupArn };
      await ask(api.POST("/c/{connection}/data/resets", { params: { path: { connection } }, body }));
    },
    onSuccess: () => {
      setAsked(null);
      setCompared(null);
      void again();
      void client.invalidateQueries({ queryKey: key });
    },
  });
  if (readOnly) return <p className={css.quiet}>{t("readOnly")}</p>;
  return (
    <>
      <p>
        <Button tone="primary" isDisabled={take.isPending} onPress={() => take.mutate()}>
          <Camera aria-hidden size="1em" /> {t("take")}
        </Button>{" "}
        <span className={css.quiet}>{t("takeCost")}</span>
      </p>
      {(take.error || backups.error) && <ProblemPanel error={take.error ?? backups.error} />}
      {backups.data?.length === 0 && <p className={css.quiet}>{t("noSnapshots", { table })}</p>}
      <ul className={css.backups} aria-label={t("snapshots")}>
        {backups.data?.map((backup) => (
          <li key={backup.BackupArn}>
            <strong>{backup.BackupName}</strong>
            <span className={css.quiet}>
              {format.dateTime(backup.BackupCreationDateTime * 1000, {
                dateStyle: "medium",
                timeStyle: "medium",
              })}{" "}
              · {backup.BackupStatus === "CREATING" ? t("making") : sizeText(backup.BackupSizeBytes ?? 0)}
            </span>
            <p className={css.buttons}>
              <Button
                isDisabled={backup.BackupStatus === "CREATING"}
                onPress={() => setCompared(compared === backup ? null : backup)}
              >
                {t("compare")}
              </Button>
              <Button
                isDisabled={backup.BackupStatus === "CREATING"}
                onPress={() => setAsked({ what: "reset", backup })}
              >
                {t("reset")}
              </Button>
              <Button tone="quiet" onPress={() => setAsked({ what: "remove", backup })}>
                {t("remove")}
              </Button>
            </p>
          </li>
        ))}
      </ul>
      {compared && (
        <DiffView
          key={compared.BackupArn}
          connection={connection}
          arn={compared.BackupArn}
          name={compared.BackupName}
          keys={Array.isArray(keys) ? [] : [keys.hash.name, ...(keys.range ? [keys.range.name] : [])]}
          onClose={() => setCompared(null)}
        />
      )}
      {asked && (
        <ConfirmByName
          open
          title={
            asked.what === "reset"
              ? t("resetTitle", { table })
              : t("removeTitle", { name: asked.backup.BackupName })
          }
          warning={
            asked.what === "reset"
              ? t("resetWarning", { table, name: asked.backup.BackupName })
              : t("removeWarning")
          }
          name={asked.what === "reset" ? table : asked.backup.BackupName}
          action={asked.what === "reset" ? t("reset") : t("remove")}
          pending={act.isPending}
          error={act.error}
          onConfirm={() => act.mutate(asked)}
          onClose={() => {
            setAsked(null);
            act.reset();
          }}
        />
      )}
    </>
  );
}
