import { keepPreviousData, useQueries } from "@tanstack/react-query";
import { useState } from "react";
import type { Relation } from "../../api/client";
import type { Place } from "../../lib/places";
import { entityQuery, neighboursQuery, type Side } from "./data";
import { type Found, keyOf } from "./layout";

/** Neighbours of one node on one side that are drawn at first; a press draws as many more. */
const SHOWN = 40;
/** The API lists at most this many at once. */
const SHOWN_MAX = 1000;

export interface MapNode {
  entity: string;
  id: string;
}

/** What is drawn of a node's list on one side. */
export interface Drawn extends MapNode {
  side: Side;
  shown: number;
  /** What its counter says; unknown without one. */
  total: string | null;
  /** There are more to draw. */
  more: boolean;
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
  // A node's item has the counters of both of its sides: it is read once.
  const items = useQueries({
    queries: state.expanded.map(({ entity, id }) => entityQuery(place, entity, id)),
  });
  const totalOf = (node: MapNode, side: Side) => {
    const item =
      items[state.expanded.findIndex((e) => keyOf(e.entity, e.id) === keyOf(node.entity, node.id))];
    const counter = side === "out" ? relation?.out_counter : relation?.in_counter;
    return counter ? (item?.data?.counters[counter] ?? null) : null;
  };
  const found: Found[] = [];
  const drawn: Drawn[] = [];
  wanted.forEach(({ entity, id, side, limit }, i) => {
    const page = lists[i]?.data;
    if (page === undefined) return;
    const peer = (side === "out" ? relation?.target : relation?.source) ?? "";
    for (const edge of page.edges) {
      const other = side === "out" ? edge.target : edge.source;
      found.push({ id: other, entity: peer, from: keyOf(entity, id), side });
    }
    drawn.push({
      entity,
      id,
      side,
      shown: page.edges.length,
      total: totalOf({ entity, id }, side),
      more: page.next !== null && limit < SHOWN_MAX,
    });
  });
  const reads = [...lists, ...items];
  return {
    found,
    drawn,
    error: reads.find((read) => read.error)?.error ?? null,
    retry: () => reads.forEach((read) => void read.refetch()),
    receipts: reads.flatMap((read) => read.data?.receipt ?? []),
    isExpanded: (node: MapNode) => state.expanded.some((e) => e.entity === node.entity && e.id === node.id),
    expand: (node: MapNode) => setKept({ ...state, expanded: [...state.expanded, node] }),
    showMore: (node: MapNode, side: Side) => {
      const name = nameOf(node, side);
      const limit = Math.min((state.shown[name] ?? SHOWN) + SHOWN, SHOWN_MAX);
      setKept({ ...state, shown: { ...state.shown, [name]: limit } });
    },
  };
}
