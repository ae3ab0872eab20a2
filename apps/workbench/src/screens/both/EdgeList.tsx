import { useInfiniteQuery } from "@tanstack/react-query";
import { ArrowLeft, ArrowRight, Plus, TriangleAlert } from "lucide-react";
import type { KeyboardEvent } from "react";
import { ListBox, ListBoxItem } from "react-aria-components";
import { useTranslations } from "use-intl";
import type { Edge } from "../../api/client";
import type { Place } from "../../lib/places";
import { useNumbers } from "../../lib/useNumbers";
import { asTime, text } from "../../lib/value";
import { Button } from "../../parts/Button";
import { Note } from "../../parts/Note";
import { ProblemPanel } from "../../parts/ProblemPanel";
import { ReceiptLine } from "../../parts/ReceiptLine";
import { Waiting } from "../../parts/Waiting";
import css from "./both.module.css";
import { Counter } from "./Counter";
import { edgesOf, listQuery, type Side } from "./data";
import { useCancel } from "./useCancel";

/** Attributes that a row shows beside its name. */
const SHOWN = 2;
const BETWEEN = " · ";

interface Props {
  place: Place;
  side: Side;
  /** Where it stands on the screen. */
  column: "left" | "right";
  node: string;
  title: string;
  /** The table or index that this half is read from. */
  where: string;
  attributes: string[];
  /** The peer at the other end of the edge in the middle; none where the node itself is in the middle. */
  peer?: string;
  /** The edge in the middle is there: a whole list without it lacks something. */
  present?: boolean;
  /** The edge in the middle, shown dotted while the index has not caught up with it. */
  awaited?: boolean;
  note?: "counter" | "receipt";
  /** The counter of this side where it is read with the node's item, and not beside the list. */
  counter?: string | null;
  /** Leads to a further edge of this node. */
  onAdd?: () => void;
  /** What the other ends are. */
  peers: string;
  onChoose?: (peer: string) => void;
  onOpen: (peer: string) => void;
  /** What to do where nothing is listed. */
  onFill: () => void;
}

/** One half: a node's edges on one side, as one Query a page returns them. */
export function EdgeList(props: Props) {
  const { place, side, node, title, where, attributes, peer = "", awaited = false, present = false } = props;
  const t = useTranslations("both");
  const number = useNumbers();
  const query = listQuery(place, side, node, props.counter !== undefined);
  const list = useInfiniteQuery(query);
  const cancel = useCancel(query.queryKey);
  const [first] = list.data?.pages ?? [];
  const edges = edgesOf(list.data?.pages);
  const counter = props.counter ?? first?.counter ?? null;
  const nameOf = (edge: Edge) => (side === "out" ? edge.target : edge.source);
  const rows = edges.map((edge) => ({ id: nameOf(edge), edge: edge as Edge | null }));
  const listed = rows.some((row) => row.id === peer);
  const further = present && !listed && list.hasNextPage;
  if ((awaited || further) && !listed) rows.unshift({ id: peer, edge: null });
  const complete = list.data !== undefined && !list.hasNextPage && !awaited;
  const flags = [
    first?.missing && t("missingNode", { node }),
    complete && counter !== null && Number(counter) !== edges.length
      ? t("counterOff", { n: number(counter), shown: number(edges.length) })
      : null,
    complete && present && !listed && !list.isFetching && t("missingTwin", { where }),
  ].filter((flag) => typeof flag === "string");
  return (
    <section className={css.half} data-side={side} data-column={props.column} aria-label={title}>
      <header className={css.halfHead}>
        <h2 title={title}>
          {side === "out" ? <ArrowRight aria-hidden size="1em" /> : <ArrowLeft aria-hidden size="1em" />}{" "}
          <span>{title}</span>
        </h2>
        {counter !== null && <Counter value={counter} />}
      </header>
      <p className={css.place}>
        {where}
        {first && (
          <>
            {" "}
            · <code>{first.receipt.requests[0]?.key}</code>
          </>
        )}
      </p>
      <p className={css.columns}>
        <span>{props.peers}</span>
        <span>{attributes.slice(0, SHOWN).join(BETWEEN)}</span>
      </p>
      {list.error && rows.length === 0 ? (
        <ProblemPanel error={list.error} onRetry={() => list.refetch()} />
      ) : (
        <div className={css.rows} data-pane>
          {list.isPending && node !== "" ? <Waiting onCancel={cancel} /> : null}
          {list.data && rows.length === 0 && (
            <div className={css.empty}>
              <p>{t("emptyHalf")}</p>
              <Button onPress={props.onFill}>{t(side === "out" ? "pickTarget" : "pickSource")}</Button>
            </div>
          )}
          {rows.length > 0 && (
            <ListBox
              aria-label={title}
              items={rows}
              dependencies={[peer, awaited, listed]}
              selectionMode={props.peer === undefined ? "none" : "single"}
              selectionBehavior="replace"
              selectedKeys={peer === "" ? [] : [peer]}
              onAction={(key) => props.onOpen(String(key))}
              onSelectionChange={(keys) => {
                const [key] = keys === "all" ? [] : [...keys];
                if (key !== undefined) props.onChoose?.(String(key));
              }}
            >
              {(row) => (
                <ListBoxItem
                  id={row.id}
                  textValue={row.id}
                  className={css.row ?? ""}
                  onKeyDown={crossOver}
                  data-awaited={(awaited && row.id === peer) || undefined}
                  data-tied={row.id === peer || undefined}
                >
                  <div
                    className={css.rowInner}
                    data-tie={peer === "" || row.id === peer ? side : undefined}
                    data-dotted={(awaited && row.id === peer) || undefined}
                  >
                    <span className={css.peer} title={row.id}>
                      {row.id}
                    </span>
                    <Data
                      words={
                        row.edge === null
                          ? t(awaited ? "catchingUp" : "furtherDown")
                          : summary(row.edge, attributes)
                      }
                    />
                  </div>
                </ListBoxItem>
              )}
            </ListBox>
          )}
          {list.hasNextPage && (
            <Button tone="quiet" isDisabled={list.isFetchingNextPage} onPress={() => list.fetchNextPage()}>
              {counter === null || Number(counter) <= edges.length
                ? t("more")
                : t("moreOf", { left: number(Number(counter) - edges.length), n: number(counter) })}
            </Button>
          )}
        </div>
      )}
      {flags.map((flag) => (
        <p key={flag} className={css.flag}>
          <TriangleAlert aria-hidden size="1em" /> {flag}
        </p>
      ))}
      {list.data && (
        <footer className={css.foot}>
          {props.onAdd && rows.length > 0 && (
            <p>
              <Button tone="quiet" onPress={props.onAdd}>
                <Plus aria-hidden size="1em" /> <span className={css.cut}>{t("newEdge", { title })}</span>
              </Button>
            </p>
          )}
          <ReceiptLine sum receipt={list.data.pages.at(-1)?.receipt} />
          {props.note && <Note name={props.note} />}
        </footer>
      )}
    </section>
  );
}

/** What a row says beside its name: it may be cut, and then says all of it to the pointer. */
function Data({ words }: { words: string }) {
  return (
    <span className={css.data} title={words}>
      {words}
    </span>
  );
}

/** Left and right go to the other half: to its chosen row, else to its first. */
function crossOver(event: KeyboardEvent | { key: string; target: EventTarget }) {
  const to = event.key === "ArrowRight" ? "right" : event.key === "ArrowLeft" ? "left" : null;
  if (to === null || !(event.target instanceof Element)) return;
  const frame = event.target.closest("[data-frame]");
  const options = frame?.querySelectorAll<HTMLElement>(`[data-column="${to}"] [role=option]`) ?? [];
  const chosen = [...options].find((o) => o.getAttribute("aria-selected") === "true") ?? options[0];
  chosen?.focus();
}

/** The first attributes of an edge, as the columns name them, times as UTC; nothing where the list carries none. */
function summary(edge: Edge, attributes: string[]): string {
  const item = edge.item as Record<string, Record<string, unknown>>;
  const shown = attributes.slice(0, SHOWN);
  if (shown.every((name) => item[name] === undefined)) return "";
  return shown
    .map((name) => {
      const value = item[name];
      return value === undefined ? "–" : (asTime(name, value) ?? text(value));
    })
    .join(BETWEEN);
}
