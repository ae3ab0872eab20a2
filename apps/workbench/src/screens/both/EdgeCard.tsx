import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import type { AttributeValue, Item, Outcome } from "../../api/client";
import type { Place } from "../../lib/places";
import { Button } from "../../parts/Button";
import { ItemTable } from "../../parts/ItemTable";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { ReceiptLine } from "../../parts/ReceiptLine";
import css from "./both.module.css";
import { type Done, edgeQuery } from "./data";

const KEYS = ["PK", "SK", "GSI1PK", "GSI1SK"];

interface Props {
  place: Place;
  source: string;
  target: string;
  done: Done | undefined;
  /** The edge's own attributes: the keys change only by linking. */
  editable: string[];
  onEdit: (name: string, value: AttributeValue) => void;
}

/** The edge item itself, between the two places where it can be read. */
export function EdgeCard({ place, source, target, done, editable, onEdit }: Props) {
  const t = useTranslations("both");
  const edge = useQuery(edgeQuery(place, source, target));
  const item = edge.data?.item as Item | null | undefined;
  return (
    <article className={css.card} data-absent={item === null || undefined}>
      <h2 className={css.cardTitle}>
        {source || "…"} → {target || "…"}
      </h2>
      {edge.error && <ProblemPanel error={edge.error} onRetry={() => edge.refetch()} />}
      {source === "" || target === "" ? <p className={css.empty}>{t("choose")}</p> : null}
      {item === null && (
        <div className={css.empty}>
          <p>{t("noEdge")}</p>
          <p>{t("noEdgeHint", { source, target })}</p>
        </div>
      )}
      {item && <ItemTable item={item} first={KEYS} chips={false} editable={editable} onEdit={onEdit} />}
      {item && <p className={css.once}>{t("oneItem")}</p>}
      {edge.data && (
        <footer className={css.foot}>
          <ReceiptLine receipt={edge.data.receipt} />
        </footer>
      )}
      {done && <DonePanel done={done} />}
    </article>
  );
}

/** What the last write did, and the transaction it sent. */
function DonePanel({ done }: { done: Done }) {
  const t = useTranslations("both");
  const [open, setOpen] = useState(false);
  const first = done.outcomes[0];
  if (first === undefined) return null;
  const count = (outcome: Outcome["outcome"]) => done.outcomes.filter((o) => o.outcome === outcome).length;
  const settled = first.outcome === "unchanged" || first.outcome === "not_found";
  const words = {
    created: t("created"),
    unchanged: t("unchanged"),
    removed: t("removed"),
    not_found: t("notFound"),
    updated: t("updated"),
  };
  return (
    <section className={css.done} aria-live="polite" data-outcome={first.outcome}>
      <p className={css.outcome}>
        {done.outcomes.length > 1
          ? t("sixteenResult", { created: String(count("created")), unchanged: String(count("unchanged")) })
          : words[first.outcome]}
        {settled && done.outcomes.length === 1 && <span className={css.aside}> {t("countersUnmoved")}</span>}
      </p>
      <ReceiptLine receipt={first.receipt} />
      <Button tone="quiet" onPress={() => setOpen(!open)}>
        {open ? t("closeTransaction") : t("openTransaction")}
      </Button>
      {open && (
        <div className={css.transaction}>
          <h3>{t("transaction")}</h3>
          <pre>{JSON.stringify(first.transaction, null, 1)}</pre>
          {first.reasons && first.reasons.length > 0 && (
            <>
              <h3>{t("reasons")}</h3>
              <ol>
                {first.reasons.map((reason, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: one reason per action, in order
                  <li key={i}>
                    {reason.code} {reason.message}
                  </li>
                ))}
              </ol>
            </>
          )}
        </div>
      )}
    </section>
  );
}
