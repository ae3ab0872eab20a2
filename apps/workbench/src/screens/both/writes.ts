import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type AttributeValue, api, ask, type EdgePage, type EdgeView, type Outcome } from "../../api/client";
import type { Place } from "../../lib/places";
import { edgeQuery, edgesOf, listQuery, relationPath } from "./data";

/** The first read of the index after a write waits this long, so that its lag can be seen. */
const INDEX_FIRST_LOOK_MS = 250;
const INDEX_LOOKS = 20;
const SIXTEEN = 16;

type Changes = Record<string, AttributeValue | null>;

/** A write of the edge in the middle. */
export interface Action {
  kind: "link" | "unlink" | "again" | "sixteen" | "set";
  attributes?: Changes;
}

/** What a write did, and the write that takes it back. */
export interface Done {
  edge: string;
  action: Action;
  outcomes: Outcome[];
  undo: Action | null;
}

/** Names an edge where two of them are compared. */
export const edgeName = (source: string, target: string) => JSON.stringify([source, target]);

/** The write that takes another back, from the item as it was before it. */
function undoOf(
  action: Action,
  outcomes: Outcome[],
  before: EdgeView | undefined,
  own: string[],
): Action | null {
  const did = (outcome: Outcome["outcome"]) => outcomes.some((o) => o.outcome === outcome);
  const item = (before?.item ?? {}) as Record<string, AttributeValue>;
  if (did("created")) return { kind: "unlink" };
  if (did("removed")) {
    const kept = Object.entries(item).filter(([name]) => own.includes(name));
    return { kind: "link", attributes: Object.fromEntries(kept) };
  }
  if (did("updated")) {
    const names = Object.keys(action.attributes ?? {});
    return { kind: "set", attributes: Object.fromEntries(names.map((n) => [n, item[n] ?? null])) };
  }
  return null;
}

/** Writes of one edge. After each the base is read at once and the index until it shows the write. */
export function useEdgeWrites(place: Place, source: string, target: string, own: string[]) {
  const client = useQueryClient();
  const [awaited, setAwaited] = useState<{ edge: string; what: "present" | "absent" } | null>(null);
  const edge = edgeName(source, target);
  const edgeKey = edgeQuery(place, source, target).queryKey;
  const inKey = listQuery(place, "in", target).queryKey;

  const write = useMutation({
    mutationFn: async (action: Action): Promise<Done> => {
      const before = client.getQueryData<EdgeView>(edgeKey);
      const { attributes = {} } = action;
      // A new edge has no attribute to remove.
      const given = Object.fromEntries(
        Object.entries(attributes).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
      );
      const body = { source, target, attributes: given };
      const params = { path: { ...place } };
      const one = (): Promise<Outcome> => {
        if (action.kind === "set")
          return ask(api.PATCH(`${relationPath}/edge`, { params, body: { ...body, attributes } }));
        if (action.kind === "unlink")
          return ask(api.POST(`${relationPath}/unlink`, { params, body: { source, target } }));
        return ask(api.POST(`${relationPath}/link`, { params, body }));
      };
      const times = action.kind === "sixteen" ? SIXTEEN : 1;
      const outcomes = await Promise.all(Array.from({ length: times }, one));
      return { edge, action, outcomes, undo: undoOf(action, outcomes, before, own) };
    },
    onSuccess: async ({ action, outcomes }) => {
      if (outcomes.some((o) => o.outcome === "created")) setAwaited({ edge, what: "present" });
      else if (outcomes.some((o) => o.outcome === "removed")) setAwaited({ edge, what: "absent" });
      await Promise.all([
        client.invalidateQueries({ queryKey: listQuery(place, "out", source).queryKey }),
        client.invalidateQueries({ queryKey: edgeKey }),
        client.invalidateQueries({
          queryKey: ["entity", place.connection, place.model],
          refetchType: "none",
        }),
        action.kind === "set" && client.invalidateQueries({ queryKey: inKey }),
      ]);
    },
  });

  const what = awaited?.edge === edge ? awaited.what : null;
  useEffect(() => {
    if (what === null) return;
    let looks = 0;
    let timer = window.setTimeout(look, INDEX_FIRST_LOOK_MS);
    async function look() {
      await client.refetchQueries({ queryKey: inKey });
      const pages = client.getQueryData<{ pages: EdgePage[] }>(inKey)?.pages;
      const shown = edgesOf(pages).some((e) => e.source === source);
      looks += 1;
      if (shown === (what === "present") || looks >= INDEX_LOOKS) setAwaited(null);
      else timer = window.setTimeout(look, INDEX_FIRST_LOOK_MS);
    }
    return () => window.clearTimeout(timer);
  }, [what, client, inKey, source]);

  return {
    send: (action: Action) => write.mutate(action),
    isPending: write.isPending,
    /** Only what belongs to the edge in the middle. */
    done: write.data?.edge === edge ? write.data : undefined,
    error: write.error,
    /** Sends once more what failed. */
    again: () => {
      if (write.variables) write.mutate(write.variables);
    },
    forget: write.reset,
    awaited: what,
  };
}
