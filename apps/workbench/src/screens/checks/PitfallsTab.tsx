import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Copy } from "lucide-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { api, ask, type Model } from "../../api/client";
import { fromHalves } from "../../lib/units";
import { useNumbers } from "../../lib/useNumbers";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { ReceiptLine } from "../../parts/ReceiptLine";
import { Waiting } from "../../parts/Waiting";
import type { TableInfo } from "../tables/schema";
import css from "./checks.module.css";

/** Items of the sample that is offered. */
export const SAMPLE = 2000;
/** What one eventually consistent half unit reads. Source: Developer Guide, read capacity. */
const HALF_UNIT_BYTES = 4096;
/** Items of a page of the doctor's: each page is rounded up to whole units. */
const PAGE_ITEMS = 1000;

interface Props {
  connection: string;
  model: Model;
  table: TableInfo;
}

/** Read units, in halves, that looking at so many items of a table takes, as far as its description says. */
export function sampleHalves(table: Pick<TableInfo, "items" | "bytes">, items: number): number {
  const read = Math.min(items, table.items);
  const bytes = table.items === 0 ? 0 : (table.bytes / table.items) * read;
  return Math.max(1, Math.ceil(bytes / HALF_UNIT_BYTES), Math.ceil(read / PAGE_ITEMS));
}

/** The traps that the model or its table is in. The model shows some by itself; items are read only when asked to. */
export function PitfallsTab({ connection, model, table }: Props) {
  const t = useTranslations("checks");
  const grouped = useNumbers();
  const [items, setItems] = useState(0);
  const doctor = useQuery({
    queryKey: ["doctor", connection, model.name, items],
    queryFn: ({ signal }) =>
      ask(
        api.GET("/c/{connection}/models/{model}/doctor", {
          params: { path: { connection, model: model.name }, query: { items } },
          signal,
        }),
      ),
  });
  const { data } = doctor;
  return (
    <section aria-label={t("pitfalls")} className={css.tab}>
      <p className={css.buttons}>
        <Button
          tone="primary"
          isDisabled={doctor.isFetching}
          onPress={() => (items === 0 ? setItems(SAMPLE) : doctor.refetch())}
        >
          {t("lookAt", { n: SAMPLE })}
        </Button>
        <span className={css.hint}>
          {t("lookCost", { items: table.items, rcu: grouped(fromHalves(sampleHalves(table, SAMPLE))) })}
        </span>
      </p>
      {doctor.error && <ProblemPanel error={doctor.error} onRetry={() => doctor.refetch()} />}
      {doctor.isFetching && <Waiting onCancel={() => setItems(0)} />}
      {data && !doctor.isFetching && !doctor.error && (
        <>
          <p role="status">
            {data.traps.length === 0 && t("noPitfalls")}{" "}
            {data.sampled === 0 && !data.whole
              ? t("lookedNone")
              : t(data.whole ? "lookedAll" : "looked", { n: data.sampled })}
          </p>
          <ul className={css.findings}>
            {data.traps.map((trap) => (
              <li key={`${trap.trap} ${trap.place} ${trap.evidence}`}>
                <p>
                  <code>{trap.trap}</code> <strong>{trap.place}</strong> {trap.evidence}
                </p>
                <p>{trap.repair}</p>
                {trap.command ? (
                  <p className={css.buttons}>
                    <code>{trap.command}</code>
                    <Button
                      tone="quiet"
                      aria-label={t("copyCommand")}
                      onPress={() => navigator.clipboard.writeText(trap.command ?? "")}
                    >
                      <Copy aria-hidden size="1em" />
                    </Button>
                  </p>
                ) : (
                  <Link to="/c/$connection/model/$model" params={{ connection, model: model.name }}>
                    {t("mend")}
                  </Link>
                )}
              </li>
            ))}
          </ul>
          <ReceiptLine receipt={data.receipt} />
        </>
      )}
    </section>
  );
}
