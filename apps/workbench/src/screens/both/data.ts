import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, ask, type Edge, type EdgePage, type Item, type Outcome } from "../../api/client";
import type { Place } from "../../lib/places";

export type Side = "out" | "in";

const PAGE = 50;
/** The first read of the index after a write waits this long, so that its lag can be seen. */
const INDEX_FIRST_LOOK_MS = 250;
const INDEX_LOOKS = 20;

const relationPath = "/c/{connection}/models/{model}/relations/{relation}";

export const modelsQuery = (connection: string) =>
  queryOptions({
    queryKey: ["models", connection],
    queryFn: ({ signal }) =>
      ask(api.GET("/c/{connection}/models", { params: { path: { connection } }, signal })),
  });

export const connectionsQuery = queryOptions({
  queryKey: ["connections"],
  queryFn: ({ signal }) => ask(api.GET("/connections", { signal })),
});

export const listQuery = (place: Place, side: Side, node: string) =>
  infiniteQueryOptions({
    queryKey: ["list", place, side, node],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = { node, limit: PAGE, ...(pageParam === undefined ? {} : { after: pageParam }) };
      const params = { path: { ...place }, query };
      return side === "out"
        ? ask(api.GET(`${relationPath}/out`, { params, signal }))
        : ask(api.GET(`${relationPath}/in`, { params, signal }));
    },
    getNextPageParam: (page: EdgePage) => page.next ?? undefined,
    enabled: node !== "",
  });

export const edgeQuery = (place: Place, source: string, target: string) =>
  queryOptions({
    queryKey: ["edge", place, source, target],
    queryFn: ({ signal }) =>
      ask(
        api.GET(`${relationPath}/edge`, {
          params: { path: { ...place }, query: { source, target } },
          signal,
        }),
      ),
    enabled: source !== "" && target !== "",
  });

export const edgesOf = (pages: EdgePage[] | undefined): Edge[] => pages?.flatMap((page) => page.edges) ?? [];

export type Action = "link" | "unlink" | "again" | "sixteen" | { set: Item };
export interface Done {
  action: Action;
  outcomes: Outcome[];
}

/** Writes of one edge. After each the base is read at once and the index until it shows the write. */
export function useEdgeWrites(place: Place, source: string, target: string) {
  const client = useQueryClient();
  const [awaited, setAwaited] = useState<"present" | "absent" | null>(null);
  const inKey = listQuery(place, "in", target).queryKey;

  const write = useMutation({
    mutationFn: async (action: Action): Promise<Done> => {
      const body = { source, target };
      const params = { path: { ...place } };
      if (typeof action === "object") {
        const change = { ...body, attributes: action.set };
        return { action, outcomes: [await ask(api.PATCH(`${relationPath}/edge`, { params, body: change }))] };
      }
      const one = () =>
        action === "unlink"
          ? ask(api.POST(`${relationPath}/unlink`, { params, body }))
          : ask(api.POST(`${relationPath}/link`, { params, body }));
      return {
        action,
        outcomes: await Promise.all(Array.from({ length: action === "sixteen" ? 16 : 1 }, one)),
      };
    },
    onSuccess: async (done) => {
      if (done.outcomes.some((o) => o.outcome === "created")) setAwaited("present");
      else if (done.outcomes.some((o) => o.outcome === "removed")) setAwaited("absent");
      await Promise.all([
        client.invalidateQueries({ queryKey: listQuery(place, "out", source).queryKey }),
        client.invalidateQueries({ queryKey: edgeQuery(place, source, target).queryKey }),
        typeof done.action === "object" && client.invalidateQueries({ queryKey: inKey }),
      ]);
    },
  });

  useEffect(() => {
    if (awaited === null) return;
    let looks = 0;
    let timer = window.setTimeout(look, INDEX_FIRST_LOOK_MS);
    async function look() {
      await client.refetchQueries({ queryKey: inKey });
      const pages = client.getQueryData<{ pages: EdgePage[] }>(inKey)?.pages;
      const shown = edgesOf(pages).some((e) => e.source === source);
      looks += 1;
      if (shown === (awaited === "present") || looks >= INDEX_LOOKS) setAwaited(null);
      else timer = window.setTimeout(look, INDEX_FIRST_LOOK_MS);
    }
    return () => window.clearTimeout(timer);
  }, [awaited, client, inKey, source]);

  return { write, awaited };
}
