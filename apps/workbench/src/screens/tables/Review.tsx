import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { type Item, Problem, type ProblemBody } from "../../api/client";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { ValueView } from "../../parts/ValueView";
import { keyText } from "./schema";
import {
  type Change,
  commit,
  differences,
  reject,
  rejectAll,
  TRANSACTION_ACTIONS,
  undo,
  useStaged,
} from "./staged";
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
      {write.error instanceof Problem && (
        <Conflicts changes={changes} reasons={write.error.body.reasons ?? []} />
      )}
      <ul className={css.changes}>
        {changes.slice(0, 200).map((change) => (
          <li
            key={keyText(change.key)}
            data-kind={change.before === null ? "new" : change.after === null ? "deleted" : "changed"}
          >
            <p>
              <code>{nameOf(change)}</code>
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

/** Why a commit was refused, attribute by attribute: what was seen, what is there now, what was to be written. */
function Conflicts({
  changes,
  reasons,
}: {
  changes: Change[];
  reasons: NonNullable<ProblemBody["reasons"]>;
}) {
  const t = useTranslations("staged");
  const refused = changes.flatMap((change, i) => {
    const reason = reasons[i];
    return reason?.code === "ConditionalCheckFailed" ? [{ change, now: (reason.item ?? {}) as Item }] : [];
  });
  return refused.map(({ change, now }) => (
    <table key={keyText(change.key)} className={css.conflict}>
      <caption>
        {t("conflict")} <code>{nameOf(change)}</code>
      </caption>
      <thead>
        <tr>
          <th scope="col">{t("attribute")}</th>
          <th scope="col">{t("seen")}</th>
          <th scope="col">{t("now")}</th>
          <th scope="col">{t("yours")}</th>
        </tr>
      </thead>
      <tbody>
        {differences(change).map(({ name, before, after }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {[before, now[name], after].map((value, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: three fixed columns
              <td key={column}>{value ? <ValueView name={name} value={value} /> : "–"}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  ));
}

const nameOf = (change: Change) =>
  Object.values(change.key)
    .flatMap((v) => Object.values(v))
    .join(" · ");
