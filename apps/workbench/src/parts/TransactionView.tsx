import { useTranslations } from "use-intl";
import type { Outcome } from "../api/client";
import { actionsOf, tokenOf } from "../lib/resolve";
import css from "./transaction.module.css";

/** A write as it was sent: its actions, their conditions, what each came to, and the token. */
export function TransactionView({ outcome, keys }: { outcome: Outcome; keys: string[] }) {
  const t = useTranslations("transaction");
  const token = tokenOf(outcome.transaction);
  return (
    <section className={css.transaction} aria-label={t("title")}>
      <ol>
        {actionsOf(outcome.transaction, keys).map((action, i) => {
          const reason = outcome.reasons?.[i];
          const refused = reason !== undefined && reason.code !== "None";
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the actions of one request, in order
            <li key={i}>
              <p>
                <strong>
                  {i + 1} {action.kind}
                </strong>{" "}
                <code>{action.key}</code>
              </p>
              {action.change && <code>{action.change}</code>}
              {action.condition && (
                <p>
                  {t("if")} <code>{action.condition}</code>
                </p>
              )}
              {reason && (
                <p className={css.reason} data-refused={refused || undefined}>
                  {refused ? `${reason.code}: ${reason.message ?? ""}` : t("fine")}
                </p>
              )}
            </li>
          );
        })}
      </ol>
      {token && (
        <p>
          {t("token")} <code>{token}</code>
        </p>
      )}
      <details>
        <summary>{t("json")}</summary>
        <pre>{JSON.stringify(outcome.transaction, null, 1)}</pre>
      </details>
    </section>
  );
}
