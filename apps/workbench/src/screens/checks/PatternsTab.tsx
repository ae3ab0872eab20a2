import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useTranslations } from "use-intl";
import type { Model } from "../../api/client";
import { fromHalves } from "../../lib/units";
import { useNumbers } from "../../lib/useNumbers";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { checkQuery } from "../tables/reads";
import type { TableInfo } from "../tables/schema";
import css from "./checks.module.css";
import { PatternRow } from "./PatternRow";
import { type Ends, isRun, patternsOf, plannedOf, unitsOf, useRuns } from "./run";

interface Props {
  connection: string;
  model: Model;
  table: TableInfo;
  /** The ends of an edge to read with, from the URL; empty where the model's own are taken. */
  ends: Ends;
}

/** The model's patterns as a sheet: what was promised, what was sent, what it cost, and the server's verdict. */
export function PatternsTab({ connection, model, table, ends }: Props) {
  const t = useTranslations("checks");
  const state = useTranslations("state");
  const grouped = useNumbers();
  const check = useQuery(checkQuery(connection, model.name));
  const patterns = patternsOf(check.data?.patterns ?? []);
  const { results, running, run, cancel } = useRuns(connection, model.name);
  const chosen = ends.source !== "" && ends.target !== "" ? ends : null;
  const start = (given: Ends | null) =>
    run(
      patterns.filter((pattern) => !pattern.writes),
      given,
    );
  const price = patterns.filter(isRun).reduce((sum, pattern) => sum + plannedOf(pattern).rcu, 0);
  const all = Object.values(results);
  const ran = all.flatMap((r) => ("ran" in r && r.ran.skipped === null ? [r.ran] : []));
  const failed = all.find((r) => "error" in r);
  return (
    <section aria-label={t("patterns")} className={css.tab}>
      <EndsForm
        key={`${ends.source} ${ends.target}`}
        connection={connection}
        model={model}
        ends={ends}
        busy={running !== null || !check.data}
        price={check.data ? grouped(price) : "…"}
        onRun={start}
      />
      <p className={css.summary} role="status">
        {running !== null && (
          <>
            {t("running", { name: running })} <Button onPress={cancel}>{state("cancel")}</Button>
          </>
        )}
        {running === null && ran.length === 0 && <span className={css.hint}>{t("runHint")}</span>}
        {running === null && ran.length > 0 && (
          <>
            <strong data-pass={ran.every((r) => r.pass)}>
              {t("ranAll", { pass: ran.filter((r) => r.pass).length, all: ran.length })}
            </strong>{" "}
            {t("cost", { rcu: grouped(fromHalves(unitsOf(all))) })}
          </>
        )}
      </p>
      {check.error && <ProblemPanel error={check.error} onRetry={() => check.refetch()} />}
      {failed && running === null && <ProblemPanel error={failed.error} onRetry={() => start(chosen)} />}
      <div className={css.wide}>
        <table className={css.sheet}>
          <thead>
            <tr>
              <th scope="col">{t("result")}</th>
              <th scope="col">{t("read")}</th>
              <th scope="col">{t("expected")}</th>
              <th scope="col">{t("actual")}</th>
              <th scope="col">{t("rows")}</th>
              <th scope="col">{t("planned")}</th>
              <th scope="col">{t("used")}</th>
              <th scope="col">
                <span className="visually-hidden">{t("show")}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {patterns.map((pattern) => (
              <PatternRow
                key={pattern.name}
                connection={connection}
                table={table}
                pattern={pattern}
                result={results[pattern.name]}
                running={running === pattern.name}
              />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

interface FormProps {
  connection: string;
  model: Model;
  ends: Ends;
  busy: boolean;
  /** Read units that running all is planned to take. */
  price: string;
  onRun: (ends: Ends | null) => void;
}

/** What the reads are run with: the ends of an edge. Both are given, or neither. */
function EndsForm({ connection, model, ends, busy, price, onRun }: FormProps) {
  const t = useTranslations("checks");
  const both = useTranslations("both");
  const navigate = useNavigate();
  const [typed, setTyped] = useState(ends);
  const [source, target] = [typed.source.trim(), typed.target.trim()];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    navigate({
      to: "/c/$connection/checks/$model",
      params: { connection, model: model.name },
      search: source === "" ? {} : { s: source, t: target },
      replace: true,
    });
    onRun(source === "" ? null : { source, target });
  };
  const [first] = model.firsts;
  const field = (label: string, at: keyof Ends) => (
    <label>
      <span>{label}</span>
      <input
        value={typed[at]}
        placeholder={first === undefined ? t("found") : t("exampleId", { id: first[at] })}
        spellCheck={false}
        onChange={(event) => setTyped({ ...typed, [at]: event.target.value })}
      />
    </label>
  );
  return (
    <form className={css.ends} onSubmit={submit}>
      {field(both("source"), "source")}
      {field(both("target"), "target")}
      <Button type="submit" tone="primary" isDisabled={busy || (source === "") !== (target === "")}>
        {t("run", { rcu: price })}
      </Button>
    </form>
  );
}
