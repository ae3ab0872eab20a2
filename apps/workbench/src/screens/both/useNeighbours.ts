import { keepPreviousData, useQueries } from "@tanstack/react-query";
import { useState } from "react";
import type { Relation } from "../../api/client";
import type { Place } from "../../lib/places";
import { neighboursQuery, type Side } from "./data";
import { type Found, keyOf } from "./layout";

/** Neighbours of one node on one side that are drawn at first; a press draws as many more. */
const SHOWN = 40;
/** The API lists at most this many at once. */
const SHOWN_MAX = 1000;

export interface MapNode {
  entity: string;
  id: string;
}

/** What a node has on one side beyond what is drawn. */
export interface More extends MapNode {
  side: Side;
  /** How many are not drawn; unknown without a counter. */
  left: number | null;
  total: string | null;
}

const nameOf = (node: MapNode, side: Side) => `${keyOf(node.entity, node.id)} ${side}`;

/** The lists of the middle node and of every expanded one, as what the map draws. */
export function useNeighbours(place: Place, relation: Relation | undefined, middle: MapNode) {
  const start = keyOf(middle.entity, middle.id);
  const fresh = { start, expanded: [middle], shown: {} as Record<string, number> };
  const [kept, setKept] = useState(fresh);
  const state = kept.start === start ? kept : fresh;

  const wanted = state.expanded.flatMap((node) =>
    (["in", "out"] as const)
      .filter((side) => (side === "out" ? relation?.source : relation?.target) === node.entity)
      .map((side) => ({ ...node, side, limit: state.shown[nameOf(node, side)] ?? SHOWN })),
  );
  const lists = useQueries({
    queries: wanted.map(({ id, side, limit }) => ({
      ...neighboursQuery(place, side, id, limit),
      placeholderData: keepPreviousData,
    })),
  });
  const found: Found[] = [];
  const more: More[] = [];
  wanted.forEach(({ entity, id, side, limit }, i) => {
    const page = lists[i]?.data;
    if (page === undefined) return;
    const peer = (side === "out" ? relation?.target : relation?.source) ?? "";
    for (const edge of page.edges) {
      const other = side === "out" ? edge.target : edge.source;
      found.push({ id: other, entity: peer, from: keyOf(entity, id), side });
    }
    if (page.next !== null && limit < SHOWN_MAX) {
      const rest = Number(page.counter ?? 0) - page.edges.length;
      const left = rest > 0 ? rest : null;
      more.push({ entity, id, side, total: page.counter, left });
    }
  });
  return {
    found,
    more,
    isPending: lists.some((list) => list.isPending),
    error: lists.find((list) => list.error)?.error ?? null,
    retry: () => lists.forEach((list) => void list.refetch()),
    receipts: lists.flatMap((list) => list.data?.receipt ?? []),
    isExpanded: (node: MapNode) => state.expanded.some((e) => e.entity === node.entity && e.id === node.id),
    expand: (node: MapNode) => setKept({ ...state, expanded: [...state.expanded, node] }),
    showMore: (node: MapNode, side: Side) => {
      const name = nameOf(node, side);
      const limit = Math.min((state.shown[name] ?? SHOWN) + SHOWN, SHOWN_MAX);
      setKept({ ...state, shown: { ...state.shown, [name]: limit } });
    },
  };
}
