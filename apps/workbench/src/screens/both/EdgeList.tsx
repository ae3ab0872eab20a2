import { useInfiniteQuery } from "@tanstack/react-query";
import { ArrowLeft, ArrowRight } from "lucide-react";
import { type RefObject, useCallback, useLayoutEffect } from "react";
import { ListBox, ListBoxItem } from "react-aria-components";
import { useTranslations } from "use-intl";
import type { Edge } from "../../api/client";
import type { Place } from "../../lib/places";
import { asTime, text } from "../../lib/value";
import { Button } from "../../parts/Button";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { ReceiptLine } from "../../parts/ReceiptLine";
import css from "./both.module.css";
import { edgesOf, listQuery, type Side } from "./data";

interface Props {
  place: Place;
  side: Side;
  node: string;
  /** The peer at the other end of the edge in the middle. */
  peer: string;
  title: string;
  /** The table or index that this half is read from. */
  where: string;
  /** The edge in the middle, shown dotted while the index has not caught up with it. */
  awaited: boolean;
  attributes: string[];
  rowRef: RefObject<HTMLDivElement | null>;
  onChoose: (peer: string) => void;
  onMoved: () => void;
}

/** One half of the hinge: a node's edges on one side, as one Query a page returns them. */
export function EdgeList({
  place,
  side,
  node,
  peer,
  title,
  where,
  awaited,
  attributes,
  rowRef,
  onChoose,
  onMoved,
}: Props) {
  const t = useTranslations("both");
  const list = useInfiniteQuery(listQuery(place, side, node));
  // Rows come, go and move without the frame changing its size; the list draws them after this component.
  useLayoutEffect(onMoved);
  const tied = useCallback(
    (row: HTMLDivElement | null) => {
      rowRef.current = row;
      const frame = requestAnimationFrame(onMoved);
      return () => {
        rowRef.current = null;
        cancelAnimationFrame(frame);
      };
    },
    [rowRef, onMoved],
  );
  const edges = edgesOf(list.data?.pages);
  const counter = list.data?.pages[0]?.counter ?? null;
  const nameOf = (edge: Edge) => (side === "out" ? edge.target : edge.source);
  const rows = edges.map((edge) => ({ id: nameOf(edge), edge: edge as Edge | null }));
  const listed = rows.some((row) => row.id === peer);
  if (awaited && !listed) rows.unshift({ id: peer, edge: null });
  const complete = list.data !== undefined && !list.hasNextPage && !awaited;
  const off = complete && counter !== null && Number(counter) !== edges.length;

  return (
    <section className={css.half} data-side={side} aria-label={title}>
      <header className={css.halfHead}>
        <h2>
          {side === "out" ? <ArrowRight aria-hidden size="1em" /> : <ArrowLeft aria-hidden size="1em" />}{" "}
          {title}
        </h2>
        {counter !== null && (
          <output className={css.counter} aria-label={t("counter", { n: counter })}>
            {counter}
          </output>
        )}
      </header>
      <p className={css.place}>
        {where} · <code>{list.data?.pages[0]?.receipt.requests[0]?.key}</code>
      </p>
      {off && <p className={css.flag}>{t("counterOff", { n: counter, shown: String(edges.length) })}</p>}
      {list.error ? (
        <ProblemPanel error={list.error} onRetry={() => list.refetch()} />
      ) : (
        <div className={css.rows} onScroll={onMoved}>
          <ListBox
            aria-label={title}
            items={rows}
            dependencies={[peer, awaited]}
            selectionMode="single"
            selectionBehavior="replace"
            selectedKeys={peer === "" ? [] : [peer]}
            onSelectionChange={(keys) => {
              const [key] = keys === "all" ? [] : [...keys];
              if (key !== undefined) onChoose(String(key));
            }}
            renderEmptyState={() =>
              list.isPending ? null : (
                <p className={css.empty}>{t(side === "out" ? "outEmpty" : "inEmpty", { node })}</p>
              )
            }
          >
            {(row) => (
              <ListBoxItem
                id={row.id}
                textValue={row.id}
                className={css.row ?? ""}
                data-awaited={(awaited && row.id === peer) || undefined}
              >
                <div ref={row.id === peer ? tied : null} className={css.rowInner}>
                  <span className={css.peer}>{row.id}</span>
                  <span className={css.data}>
                    {row.edge === null ? t("catchingUp") : summary(row.edge, attributes)}
                  </span>
                </div>
              </ListBoxItem>
            )}
          </ListBox>
          {list.hasNextPage && (
            <Button tone="quiet" isDisabled={list.isFetchingNextPage} onPress={() => list.fetchNextPage()}>
              {t("more")}
            </Button>
          )}
        </div>
      )}
      <footer className={css.foot}>
        <ReceiptLine receipt={list.data?.pages.at(-1)?.receipt} />
      </footer>
    </section>
  );
}

/** The first attributes of an edge that the list carries, times as UTC. */
function summary(edge: Edge, attributes: string[]): string {
  return attributes
    .flatMap((name) => {
      const value = (edge.item as Record<string, Record<string, unknown>>)[name];
      return value === undefined ? [] : [asTime(name, value) ?? text(value)];
    })
    .slice(0, 2)
    .join("  ");
}
