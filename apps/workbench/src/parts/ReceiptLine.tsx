import { useTranslations } from "use-intl";
import type { Receipt, RequestReceipt } from "../api/client";
import { fromHalves, halves } from "../lib/units";
import { useNumbers } from "../lib/useNumbers";
import css from "./receipt.module.css";

/** Milliseconds with a digit that says something: nothing takes 0.0 ms. */
export const milliseconds = (micros: number) =>
  micros < 100 ? "<\u00a00.1" : (micros / 1000).toFixed(micros < 10_000 ? 1 : 0);

type Spent = Pick<RequestReceipt, "read_units" | "write_units"> & { pages?: number };

/** What several requests cost together. */
export function ReceiptSum({ requests }: { requests: Spent[] }) {
  const t = useTranslations("receipt");
  const number = useNumbers();
  const sum = (units: (r: Spent) => string) =>
    fromHalves(requests.reduce((all, r) => all + halves(units(r)), 0));
  const [read, written] = [sum((r) => r.read_units), sum((r) => r.write_units)];
  return (
    <p className={css.sum}>
      <span>{t("sum", { n: requests.reduce((n, r) => n + Math.max(1, r.pages ?? 1), 0) })}</span>
      {read !== "0" && <strong>{t("rcu", { n: number(read) })}</strong>}
      {written !== "0" && <strong>{t("wcu", { n: number(written) })}</strong>}
    </p>
  );
}

/** What was sent and what it cost: one line a request, over them the sum of several where it is asked for. */
export function ReceiptLine({ receipt, sum = false }: { receipt: Receipt | undefined; sum?: boolean }) {
  const t = useTranslations("receipt");
  const number = useNumbers();
  // Where a line has to be cut, the pointer shows what it says.
  const whole = (r: RequestReceipt) => {
    const read = t("read", { count: number(r.count), scanned: number(r.scanned) });
    return [r.operation, r.index ?? r.table, r.key, t(r.consistency), r.consistency !== "write" && read]
      .filter((part) => typeof part === "string" && part !== "")
      .join(" · ");
  };
  const lines = (
    <ul className={css.receipt}>
      {receipt?.requests.map((r, i) => (
        // The line of another request is another line: words that change within one would move it.
        // biome-ignore lint/suspicious/noArrayIndexKey: requests are in order and never move
        <li key={`${i} ${r.micros}`} title={whole(r)} data-scan={r.operation === "Scan" || undefined}>
          <span className={css.what}>
            {r.table === "" ? r.operation : t("line", { operation: r.operation, where: r.index ?? r.table })}
          </span>
          {r.key && <code>{r.key}</code>}
          <span>{t(r.consistency)}</span>
          {(r.consistency === "strong" || r.consistency === "eventual") && (
            <span>{t("read", { count: number(r.count), scanned: number(r.scanned) })}</span>
          )}
          {r.pages > 1 && <span>{t("pages", { n: r.pages })}</span>}
          {r.read_units !== "0" && <strong>{t("rcu", { n: number(r.read_units) })}</strong>}
          {r.write_units !== "0" && <strong>{t("wcu", { n: number(r.write_units) })}</strong>}
          {r.consistency === "write" && r.write_units === "0" && <span>{t("noUnits")}</span>}
          <span>{t("ms", { n: milliseconds(r.micros).replace(/[\d.]+/, number) })}</span>
        </li>
      ))}
    </ul>
  );
  if (!sum || receipt === undefined || receipt.requests.length < 2) return lines;
  return (
    <div>
      <ReceiptSum requests={receipt.requests} />
      {lines}
    </div>
  );
}
