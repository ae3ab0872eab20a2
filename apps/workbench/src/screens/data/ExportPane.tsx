import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { api, ask } from "../../api/client";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import css from "./data.module.css";
import { FormatField } from "./ImportPane";
import { useLookAgain } from "./jobs";
import type { Format } from "./sample";

/** The table into a file, which the job keeps until it is saved or forgotten. */
export function ExportPane({ connection, table }: { connection: string; table: string }) {
  const t = useTranslations("data");
  const again = useLookAgain(connection);
  const [format, setFormat] = useState<Format>("dynamodb");
  const start = useMutation({
    mutationFn: () =>
      ask(
        api.POST("/c/{connection}/data/exports", {
          params: { path: { connection } },
          body: { table, format },
        }),
      ),
    onSuccess: again,
  });
  return (
    <>
      <FormatField value={format} onChange={setFormat} />
      <p className={css.note}>{format === "csv" && t("twice")}</p>
      <p>
        <Button tone="primary" isDisabled={start.isPending || table === ""} onPress={() => start.mutate()}>
          {t("startExport", { table })}
        </Button>
      </p>
      {start.error && <ProblemPanel error={start.error} />}
    </>
  );
}
