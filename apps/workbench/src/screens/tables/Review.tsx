import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import type { Item } from "../../api/client";
import { useCommands } from "../../lib/commands";
import { keyText } from "../../lib/key";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { ReceiptLine } from "../../parts/ReceiptLine";
import { ValueView } from "../../parts/ValueView";
import { batchesOf } from "./actions";
import { type Change, differences, kindOf } from "./change";
import css from "./review.module.css";
import { keyOf } from "./schema";
import { CommitRefused, commit, rebase, reject, rejectAll, undo, useStaged } from "./staged";

/** Changes shown in the review, at most: all of them are committed. */
const SHOWN = 200;
/** Queries whose answers a commit changes. */
const TOUCHED = ["rows", "item", "list", "edge", "entity", "counts"];

/** What is staged: a line that says how much; opened, before → after of each attribute; reject one or all; commit. */
export function Review() {
  const t = useTranslations("staged");
  const client = useQueryClient();
  const { changes: staged, committed, receipt, reviewing } = useStaged();
  const changes = [...staged.values()];
  const write = useMutation({
    mutationFn: commit,
    onSettled: () =>
      client.invalidateQueries({ predicate: ({ queryKey }) => TOUCHED.includes(String(queryKey[0])) }),
  });
  const toggle = () => useStaged.setState((s) => ({ reviewing: s.changes.size > 0 && !s.reviewing }));
  const keys = {
    id: "review",
    group: "actions",
    label: t("review"),
    keys: "mod+Enter",
    always: true,
  } as const;
  useCommands(changes.length > 0 ? [{ ...keys, run: toggle }] : []);
  if (changes.length === 0 && committed.length === 0) return null;
  const transactions = batchesOf(changes).length;
  return (
    <section className={css.review} aria-label={t("title")}>
      <header className={css.head}>
        <h2>
          <span role="status">
            {changes.length === 0 ? t("done", { n: committed.length }) : t("count", { n: changes.length })}
          </span>
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
            <Button tone="quiet" aria-expanded={reviewing} onPress={toggle}>
              {t("review")}
            </Button>
            <Button tone="primary" isDisabled={write.isPending} onPress={() => write.mutate()}>
              {t("commit")}
            </Button>
            <Button tone="quiet" onPress={rejectAll}>
              {t("rejectAll")}
            </Button>
          </>
        )}
      </header>
      {changes.length === 0 && <ReceiptLine receipt={receipt} />}
      {transactions > 1 && <p className={css.warning}>{t("manyTransactions", { n: transactions })}</p>}
      {write.error && changes.length > 0 && (
        <>
          <ProblemPanel error={write.error} />
          {write.error instanceof CommitRefused && <Conflicts refused={write.error} staged={changes} />}
        </>
      )}
      {reviewing && changes.length > 0 && <ChangeList changes={changes} />}
    </section>
  );
}

function ChangeList({ changes }: { changes: Change[] }) {
  const t = useTranslations("staged");
  return (
    <ul className={css.changes}>
      {changes.slice(0, SHOWN).map((change) => (
        <li key={`${change.table.name} ${keyText(change.key)}`} data-kind={kindOf(change)}>
          <p>
            <span>
              {t(`kind.${kindOf(change)}`)} <code>{nameOf(change)}</code>
            </span>
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
      {changes.length > SHOWN && <li>{t("andMore", { n: changes.length - SHOWN })}</li>}
    </ul>
  );
}

/** Why a commit was refused, attribute by attribute: what was seen, what is there now, what was to be written. */
function Conflicts({ refused, staged }: { refused: CommitRefused; staged: Change[] }) {
  const t = useTranslations("staged");
  const reasons = refused.body.reasons ?? [];
  const inTheWay = refused.actions.flatMap(({ change }, at) => {
    const reason = reasons[at];
    const still = staged.some((each) => each === change);
    return still && reason?.code === "ConditionalCheckFailed"
      ? [{ change, now: (reason.item ?? null) as Item | null }]
      : [];
  });
  return inTheWay.map(({ change, now }) => {
    const rows = conflictRows(change, now);
    return (
      <table key={keyText(change.key)} className={css.conflict}>
        <caption>
          {now === null ? t("conflictGone") : t("conflict")} <code>{nameOf(change)}</code>{" "}
          {kindOf(change) !== "moved" && (
            <Button tone="quiet" onPress={() => rebase(change, now)}>
              {t("rebase")}
            </Button>
          )}
          <Button tone="quiet" onPress={() => reject(change)}>
            {t("reject")}
          </Button>
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
          {rows.map(({ name, values, differs }) => (
            <tr key={name} data-differs={differs || undefined}>
              <th scope="row">{name}</th>
              {values.map((value, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: three fixed columns
                <td key={column}>{value ? <ValueView name={name} value={value} /> : "–"}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    );
  });
}

/** Attributes that somebody changed, here or elsewhere: those changed elsewhere are what the commit met. */
function conflictRows(change: Change, now: Item | null) {
  const mine = differences(change).map((d) => d.name);
  const theirs = differences({ before: change.before, after: now }).map((d) => d.name);
  return [...new Set([...mine, ...theirs])].sort().map((name) => ({
    name,
    values: [change.before?.[name], now?.[name], change.after?.[name]],
    differs: theirs.includes(name),
  }));
}

function nameOf({ table, key, after }: Change): string {
  const words = (item: Item) =>
    Object.values(item)
      .flatMap((value) => Object.values(value))
      .join(" · ");
  const there = after === null ? key : keyOf(table, after);
  return keyText(there) === keyText(key) ? words(key) : `${words(key)} → ${words(there)}`;
}
