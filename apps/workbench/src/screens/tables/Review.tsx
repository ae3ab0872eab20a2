import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { ValueView } from "../../parts/ValueView";
import { keyText } from "./schema";
import { commit, differences, reject, rejectAll, TRANSACTION_ACTIONS, undo, useStaged } from "./staged";
import css from "./tables.module.css";

/** What is staged: before → after for each attribute, reject one or all, then commit. */
export function Review() {
  const t = useTranslations("staged");
  const client = useQueryClient();
  const staged = useStaged();
  const changes = [...staged.changes.values()];
  const write = useMutation({
    mutationFn: commit,
    onSettled: () =>
      client.invalidateQueries({
        predicate: ({ queryKey }) => ["rows", "item", "list", "edge"].includes(String(queryKey[0])),
      }),
  });
  if (changes.length === 0 && staged.committed.length === 0) return null;
  return (
    <section className={css.review} aria-label={t("title")}>
      <header className={css.inspectorHead}>
        <h2>
          {changes.length === 0
            ? t("done", { n: staged.committed.length })
            : t("count", { n: changes.length })}
        </h2>
        {changes.length === 0 ? (
          <>
            <Button onPress={undo}>{t("undo")}</Button>
            <Button tone="quiet" onPress={() => useStaged.setState({ committed: [] })}>
              {t("keep")}
            </Button>
          </>
        ) : (
          <>
            <Button tone="primary" isDisabled={write.isPending} onPress={() => write.mutate()}>
              {t("commit")}
            </Button>
            <Button tone="quiet" onPress={rejectAll}>
              {t("rejectAll")}
            </Button>
          </>
        )}
      </header>
      {changes.length > TRANSACTION_ACTIONS && (
        <p className={css.warning}>
          {t("manyTransactions", { n: Math.ceil(changes.length / TRANSACTION_ACTIONS) })}
        </p>
      )}
      {write.error && <ProblemPanel error={write.error} />}
      <ul className={css.changes}>
        {changes.slice(0, 200).map((change) => (
          <li
            key={keyText(change.key)}
            data-kind={change.before === null ? "new" : change.after === null ? "deleted" : "changed"}
          >
            <p>
              <code>
                {Object.values(change.key)
                  .flatMap((v) => Object.values(v))
                  .join(" · ")}
              </code>
              <Button tone="quiet" onPress={() => reject(change)}>
                {t("reject")}
              </Button>
            </p>
            <ul>
              {differences(change).map(({ name, before, after }) => (
                <li key={name} className={css.difference}>
                  <span>{name}</span>
                  <span>{before ? <ValueView name={name} value={before} /> : "–"}</span>
                  <span aria-hidden>→</span>
                  <span>{after ? <ValueView name={name} value={after} /> : "–"}</span>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  );
}
