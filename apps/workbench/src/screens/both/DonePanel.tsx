import { ReceiptText, Undo2 } from "lucide-react";
import { useTranslations } from "use-intl";
import type { Outcome } from "../../api/client";
import { Button } from "../../parts/Button";
import { ReceiptLine, ReceiptSum } from "../../parts/ReceiptLine";
import { TransactionView } from "../../parts/TransactionView";
import css from "./both.module.css";
import type { Action, Done } from "./writes";

interface Props {
  done: Done;
  keys: string[];
  isOpen: boolean;
  onOpen: (open: boolean) => void;
  onUndo: (action: Action) => void;
  /** What the counter says and what the list holds, where the whole list is loaded. */
  audit: { counter: string; listed: string } | null;
}

/** What the last write did, what it cost, the way back, and the transaction it sent. */
export function DonePanel({ done, keys, isOpen, onOpen, onUndo, audit }: Props) {
  const t = useTranslations("both");
  // Of many, the one that did something: it tells most.
  const shown = done.outcomes.find((o) => o.outcome === "created") ?? done.outcomes[0];
  if (shown === undefined) return null;
  const many = done.outcomes.length > 1;
  const count = (outcome: Outcome["outcome"]) => done.outcomes.filter((o) => o.outcome === outcome).length;
  const settled = shown.outcome === "unchanged" || shown.outcome === "not_found";
  const words = {
    created: t("created"),
    unchanged: t("unchanged"),
    removed: t("removed"),
    not_found: t("notFound"),
    updated: t("updated"),
  };
  const { undo } = done;
  return (
    <section className={css.done} aria-label={t("result")} aria-live="polite" data-outcome={shown.outcome}>
      <p className={css.outcome}>
        {many
          ? t("sixteenResult", { created: String(count("created")), unchanged: String(count("unchanged")) })
          : words[shown.outcome]}
        {settled && !many && <span className={css.aside}> {t("countersUnmoved")}</span>}
      </p>
      {many && (
        <p className={css.sixteen} aria-hidden="true">
          {done.outcomes.map((o, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: sixteen requests in the order they were sent
            <i key={i} data-outcome={o.outcome} />
          ))}
        </p>
      )}
      {many && audit && <p className={css.aside}>{t("audit", audit)}</p>}
      {many && <ReceiptSum requests={done.outcomes.flatMap((o) => o.receipt.requests)} />}
      <ReceiptLine receipt={shown.receipt} />
      <div className={css.actions}>
        {undo && (
          <Button tone="quiet" onPress={() => onUndo(undo)}>
            <Undo2 aria-hidden size="1em" /> {t("undo")}
          </Button>
        )}
        <Button tone="quiet" aria-expanded={isOpen} onPress={() => onOpen(!isOpen)}>
          <ReceiptText aria-hidden size="1em" /> {isOpen ? t("closeTransaction") : t("openTransaction")}
        </Button>
      </div>
      {isOpen && <TransactionView outcome={shown} keys={keys} />}
    </section>
  );
}
