import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck, CircleX } from "lucide-react";
import { useTranslations } from "use-intl";
import type { Model } from "../../api/client";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { checkQuery, type Proof, searchOf } from "../tables/reads";
import type { TableInfo } from "../tables/schema";
import css from "./checks.module.css";
import { type Run, runRead } from "./run";

interface Props {
  connection: string;
  model: Model;
  table: TableInfo;
}

/** The model's reads as a sheet: what was promised, what was sent, what it cost. A Scan fails. */
export function PatternsTab({ connection, model, table }: Props) {
  const t = useTranslations("checks");
  const check = useQuery(checkQuery(connection, model.name));
  const reads = check.data?.patterns.filter((p) => p.reading) ?? [];
  const run = useMutation({
    mutationFn: () => Promise.all(reads.map((proof) => runRead(connection, model, table, proof))),
  });
  const ran = (proof: Proof) => run.data?.find((each) => each.proof === proof);
  return (
    <section aria-label={t("patterns")} className={css.tab}>
      <p className={css.buttons}>
        <Button tone="primary" isDisabled={run.isPending || !check.data} onPress={() => run.mutate()}>
          {t("run")}
        </Button>
        <span className={css.hint}>{t("runHint")}</span>
      </p>
      {(check.error ?? run.error) && (
        <ProblemPanel
          error={check.error ?? run.error}
          onRetry={() => (check.error ? check.refetch() : run.mutate())}
        />
      )}
      <table className={css.sheet}>
        <thead>
          <tr>
            <th scope="col">{t("result")}</th>
            <th scope="col">{t("read")}</th>
            <th scope="col">{t("expected")}</th>
            <th scope="col">{t("actual")}</th>
          </tr>
        </thead>
        <tbody>
          {reads.map((proof) => (
            <tr key={`${proof.name} ${proof.key}`}>
              <Verdict run={ran(proof)} />
              <th scope="row">{proof.name}</th>
              <td>
                {proof.operation} {proof.index && `· ${proof.index}`} <code>{proof.key}</code> {proof.units}
              </td>
              <td>
                <Actual connection={connection} table={table} run={ran(proof)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Verdict({ run }: { run: Run | undefined }) {
  const t = useTranslations("checks");
  if (run?.receipt === undefined || run.receipt === null) return <td>–</td>;
  return (
    <td data-pass={run.pass}>
      {run.pass ? <CircleCheck aria-hidden size="1em" /> : <CircleX aria-hidden size="1em" />}{" "}
      {t(run.pass ? "pass" : "fail")}
    </td>
  );
}

function Actual({ connection, table, run }: { connection: string; table: TableInfo; run: Run | undefined }) {
  const t = useTranslations("checks");
  if (run === undefined) return null;
  if (run.receipt === null) return <span className={css.hint}>{t("notRun")}</span>;
  const [sent] = run.receipt.requests;
  if (sent === undefined) return null;
  return (
    <>
      <span data-scan={sent.operation === "Scan" || undefined}>{sent.operation}</span>{" "}
      {sent.index && `· ${sent.index}`} <code>{sent.key}</code> {sent.read_units} RCU
      {sent.scanned > sent.count && sent.operation !== "GetItem" && (
        <em> {t("wasted", { scanned: sent.scanned, count: sent.count })}</em>
      )}{" "}
      {run.proof.reading && (
        <Link
          to="/c/$connection/tables/$table"
          params={{ connection, table: table.name }}
          search={searchOf(table, run.proof.reading, run.ids)}
        >
          {t("show")}
        </Link>
      )}
    </>
  );
}
