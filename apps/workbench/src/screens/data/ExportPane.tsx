import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { api, ask } from "../../api/client";
import { fromHalves } from "../../lib/units";
import { useNumbers } from "../../lib/useNumbers";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { sampleHalves } from "../checks/PitfallsTab";
import type { TableInfo } from "../tables/schema";
import css from "./data.module.css";
import { FormatField } from "./ImportPane";
import { useLookAgain } from "./jobs";
import type { Format } from "./sample";

interface Props {
  connection: string;
  table: string;
  /** What the table's description says of it. */
  described: TableInfo | undefined;
}

/** The table into a file, which the job keeps until it is saved or forgotten. */
export function ExportPane({ connection, table, described }: Props) {
  const number = useNumbers();
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
      <p className={css.note}>
        {described &&
          t("exportCost", {
            items: described.items,
            rcu: number(fromHalves(sampleHalves(described, described.items) * (format === "csv" ? 2 : 1))),
          })}{" "}
        {format === "csv" && t("twice")}
      </p>
      <p>
        <Button tone="primary" isDisabled={start.isPending || table === ""} onPress={() => start.mutate()}>
          {t("startExport", { table })}
        </Button>
      </p>
      {start.error && <ProblemPanel error={start.error} />}
    </>
  );
}
