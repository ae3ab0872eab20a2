import { useInfiniteQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useEffect } from "react";
import { useTranslations } from "use-intl";
import { api, ask, type Item } from "../../api/client";
import { text } from "../../lib/value";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { ValueView } from "../../parts/ValueView";
import { Waiting } from "../../parts/Waiting";
import css from "./data.module.css";
import { changesOf, type Kind, kindOf } from "./diff";

/** Differences that are drawn before somebody asks for more. */
const FIRST = 50;

interface Props {
  connection: string;
  arn: string;
  name: string;
  keys: string[];
  onClose: () => void;
}

/** How the table differs from a snapshot, item by item and attribute by attribute. */
export function DiffView({ connection, arn, name, keys, onClose }: Props) {
  const t = useTranslations("data");
  const diff = useInfiniteQuery({
    queryKey: ["diff", connection, arn],
    staleTime: 0,
    gcTime: 0,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = { backup: arn, ...(pageParam === undefined ? {} : { after: pageParam }) };
      return ask(api.GET("/c/{connection}/data/diff", { params: { path: { connection }, query }, signal }));
    },
    getNextPageParam: (page) => page.next ?? undefined,
  });
  const pages = diff.data?.pages ?? [];
  const found = pages.flatMap((page) => page.found) as { before: Item | null; now: Item | null }[];
  const seen = pages.reduce((sum, page) => sum + page.seen, 0);
  const { hasNextPage, isFetching, fetchNextPage } = diff;
  // Looked through on its own until there is a screen full of differences, or the end.
  useEffect(() => {
    if (hasNextPage && !isFetching && found.length < FIRST) void fetchNextPage();
  }, [hasNextPage, isFetching, found.length, fetchNextPage]);
  const count = (kind: Kind) => found.filter(({ before, now }) => kindOf(before, now) === kind).length;
  const keyText = (item: Item) =>
    keys.flatMap((key) => (item[key] ? [`${key} = ${text(item[key])}`] : [])).join(", ");
  return (
    <section className={css.diff} aria-label={t("diff", { name })}>
      <header className={css.head}>
        <h2>{t("diff", { name })}</h2>
        <Button tone="quiet" aria-label={t("close")} onPress={onClose}>
          <X aria-hidden size="1.25em" />
        </Button>
      </header>
      {diff.error && <ProblemPanel error={diff.error} onRetry={() => diff.refetch()} />}
      {diff.isPending && !diff.error && <Waiting onCancel={onClose} />}
      {diff.data && (
        <p role="status">
          {found.length === 0 && !hasNextPage
            ? t("same", { n: seen })
            : t("differs", { added: count("added"), changed: count("changed"), gone: count("gone") })}
        </p>
      )}
      <ol>
        {found.map(({ before, now }) => {
          const kind = kindOf(before, now);
          const item = now ?? before ?? {};
          return (
            <li key={keyText(item)} data-kind={kind}>
              <p>
                <strong>{t(kind)}</strong> <code>{keyText(item)}</code>
              </p>
              <dl>
                {changesOf(before, now)
                  .filter((change) => !keys.includes(change.name))
                  .map((change) => (
                    <div key={change.name}>
                      <dt>{change.name}</dt>
                      <dd>
                        {change.before && (
                          <del>
                            <ValueView name={change.name} value={change.before} />
                          </del>
                        )}
                        {change.now && (
                          <ins>
                            <ValueView name={change.name} value={change.now} />
                          </ins>
                        )}
                      </dd>
                    </div>
                  ))}
              </dl>
            </li>
          );
        })}
      </ol>
      {hasNextPage && found.length >= FIRST && (
        <Button isDisabled={isFetching} onPress={() => void fetchNextPage()}>
          {t("more")}
        </Button>
      )}
    </section>
  );
}
