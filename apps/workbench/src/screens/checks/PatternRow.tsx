import { Link } from "@tanstack/react-router";
import { CircleCheck, CircleSlash, CircleX } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import type { RequestReceipt } from "../../api/client";
import { useNumbers } from "../../lib/useNumbers";
import { searchOf } from "../tables/reads";
import type { TableInfo } from "../tables/schema";
import css from "./checks.module.css";
import { type Pattern, plannedOf, type Ran, type Result } from "./run";

interface Props {
  connection: string;
  table: TableInfo;
  pattern: Pattern;
  result: Result | undefined;
  running: boolean;
}

/** One pattern: its proof, and what the server says that it came to. Lines stand as high before as after the run. */
export function PatternRow({ connection, table, pattern, result, running }: Props) {
  const t = useTranslations("checks");
  const grouped = useNumbers();
  const ran = result && "ran" in result ? result.ran : undefined;
  const sent = ran?.receipt.requests.slice(ran.looked_for) ?? [];
  const reading = pattern.proofs[0]?.reading;
  const sum = (units: (r: { read_units: string; write_units: string }) => number, of: Ran["planned"]) =>
    of.reduce((total, r) => total + units(r), 0);
  const read = (r: { read_units: string }) => Number(r.read_units);
  const planned = ran && sent.length > 0 ? { rcu: sum(read, ran.planned), wcu: 0 } : plannedOf(pattern);
  return (
    <tr>
      <Verdict pattern={pattern} result={result} running={running} />
      <th scope="row">
        {pattern.name}
        {ran && ran.differences.length > 0 && (
          <ul className={css.differences}>
            {ran.differences.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        )}
      </th>
      <td>
        {pattern.proofs.map((proof) => (
          <Asked
            key={`${proof.operation} ${proof.key}`}
            operation={proof.operation}
            where={proof.index ?? table.name}
            keyText={proof.key}
            how={proof.consistency}
          />
        ))}
      </td>
      <td>
        {ran?.skipped && <span className={css.hint}>{t(`skipped.${ran.skipped}`)}</span>}
        {pattern.writes && <span className={css.hint}>{t("skipped.writes")}</span>}
        {sent.map((r) => (
          <Asked
            key={`${r.operation} ${r.key}`}
            operation={r.operation}
            where={r.index ?? r.table}
            keyText={r.key ?? ""}
            how={r.consistency}
          />
        ))}
      </td>
      <td>{sent.length > 0 && <Rows requests={sent} more={ran?.more ?? false} />}</td>
      <td data-before={sent.length === 0 || undefined}>
        {(planned.rcu > 0 || planned.wcu === 0) && <span>{t("rcu", { n: grouped(planned.rcu) })}</span>}{" "}
        {planned.wcu > 0 && <span>{t("wcu", { n: grouped(planned.wcu) })}</span>}
      </td>
      <td>{sent.length > 0 && t("rcu", { n: grouped(sent.reduce((n, r) => n + read(r), 0)) })}</td>
      <td>
        {ran && reading && !ran.skipped && (
          <Link
            to="/c/$connection/tables/$table"
            params={{ connection, table: table.name }}
            search={searchOf(table, reading, ran.ids)}
          >
            {t("show")}
          </Link>
        )}
      </td>
    </tr>
  );
}

function Verdict({ pattern, result, running }: Pick<Props, "pattern" | "result" | "running">) {
  const t = useTranslations("checks");
  const words = (Icon: typeof CircleCheck, text: ReactNode) => (
    <>
      <Icon aria-hidden size="1em" /> {text}
    </>
  );
  if (running) return <td>…</td>;
  if (result !== undefined && "error" in result)
    return <td data-pass={false}>{words(CircleX, t("broke"))}</td>;
  if (pattern.writes || result?.ran.skipped)
    return <td className={css.hint}>{words(CircleSlash, t("notRun"))}</td>;
  if (result === undefined) return <td>–</td>;
  const { pass } = result.ran;
  return <td data-pass={pass}>{words(pass ? CircleCheck : CircleX, t(pass ? "pass" : "fail"))}</td>;
}

interface AskedProps {
  operation: string;
  where: string;
  keyText: string;
  how: string;
}

/** A request in two lines: what, where and how fresh; and its key, or those of its actions. */
function Asked({ operation, where, keyText, how }: AskedProps) {
  const t = useTranslations("receipt");
  const known = how === "strong" || how === "eventual" || how === "transaction" || how === "write";
  return (
    <p className={css.asked} data-scan={operation === "Scan" || undefined}>
      <span>
        {t("line", { operation, where })} · {known ? t(how) : how}
      </span>
      {keyText.split("; ").map((key) => (
        <code key={key}>{key}</code>
      ))}
    </p>
  );
}

/** Items that came, and how many were read for them where that is more; pages where there are several. */
function Rows({ requests, more }: { requests: RequestReceipt[]; more: boolean }) {
  const t = useTranslations("checks");
  const receipt = useTranslations("receipt");
  const grouped = useNumbers();
  const [count, scanned] = [
    requests.reduce((n, r) => n + r.count, 0),
    requests.reduce((n, r) => n + r.scanned, 0),
  ];
  const pages = requests.reduce((n, r) => n + r.pages, 0) - requests.length;
  const wasted = scanned > count && requests.some((r) => r.operation !== "GetItem");
  return (
    <>
      {grouped(count)}
      {wasted && <em> {t("wasted", { scanned: grouped(scanned), count: grouped(count) })}</em>}
      {more && <small> {t("more")}</small>}
      {pages > 0 && <small> {receipt("pages", { n: pages + requests.length })}</small>}
    </>
  );
}
