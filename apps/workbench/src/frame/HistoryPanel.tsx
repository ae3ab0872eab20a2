import { CircleAlert } from "lucide-react";
import { useFormatter, useTranslations } from "use-intl";
import { type Entry, useLedger } from "../lib/ledger";
import { ReceiptLine } from "../parts/ReceiptLine";
import { Sheet } from "../parts/Sheet";
import { GoLink } from "./GoLink";
import css from "./overlay.module.css";

/** What was sent in this session, the newest first; each can be read as it went out, and its screen opened again. */
export function HistoryPanel({ onClose }: { onClose: () => void }) {
  const t = useTranslations("history");
  const entries = useLedger((l) => l.entries);
  return (
    <Sheet title={t("title")} side="right" onClose={onClose}>
      <ol className={css.history}>
        {entries.length === 0 && <li className={css.none}>{t("none")}</li>}
        {entries.map((entry) => (
          <li key={entry.id}>
            <HistoryEntry entry={entry} onClose={onClose} />
          </li>
        ))}
      </ol>
    </Sheet>
  );
}

function HistoryEntry({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  const t = useTranslations("history");
  const format = useFormatter();
  return (
    <>
      <div className={css.entryHead}>
        <time>
          {format.dateTime(entry.at, {
            hour: "2-digit",
            minute: "2-digit",
            second: "2-digit",
            hourCycle: "h23",
          })}
        </time>
        <GoLink href={entry.href} onClick={onClose}>
          {t("open")}
        </GoLink>
      </div>
      {entry.problem ? (
        <p className={css.problem}>
          <CircleAlert aria-hidden size="1em" /> {entry.problem.code} {entry.problem.message}
        </p>
      ) : (
        <ReceiptLine receipt={entry.receipt} />
      )}
      {entry.receipt.sent.map((sent, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: requests are in order and never move
        <details key={i}>
          <summary>{t("request", { operation: sent.operation })}</summary>
          <pre>{sent.input === null ? t("tooLarge") : JSON.stringify(sent.input, null, 2)}</pre>
        </details>
      ))}
    </>
  );
}
