import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, ask, type Edge, type EdgePage } from "../../api/client";
import type { Place } from "../../lib/places";

export type Side = "out" | "in";

const PAGE = 50;

export const relationPath = "/c/{connection}/models/{model}/relations/{relation}";

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

/** A node's list; `bare` without the node's own item, for who has read that already. */
export const listQuery = (place: Place, side: Side, node: string, bare = false) =>
  infiniteQueryOptions({
    queryKey: ["list", place, side, node, ...(bare ? ["bare"] : [])],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = {
        node,
        limit: PAGE,
        ...(pageParam === undefined ? {} : { after: pageParam }),
        ...(bare ? { counter: "none" as const } : {}),
      };
      const params = { path: { ...place }, query };
      return side === "out"
        ? ask(api.GET(`${relationPath}/out`, { params, signal }))
        : ask(api.GET(`${relationPath}/in`, { params, signal }));
    },
    getNextPageParam: (page: EdgePage) => page.next ?? undefined,
    enabled: node !== "",
  });

/** The first edges of a node on one side, up to a limit: what the map draws. The node's item is read beside them. */
export const neighboursQuery = (place: Place, side: Side, node: string, limit: number) =>
  queryOptions({
    queryKey: ["neighbours", place, side, node, limit],
    queryFn: ({ signal }) => {
      const params = { path: { ...place }, query: { node, limit, counter: "none" as const } };
      return side === "out"
        ? ask(api.GET(`${relationPath}/out`, { params, signal }))
        : ask(api.GET(`${relationPath}/in`, { params, signal }));
    },
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

/** The item of an entity, with its counters; those of the relation are whole. */
export const entityQuery = (place: Place, entity: string, id: string) =>
  queryOptions({
    queryKey: ["entity", place.connection, place.model, entity, id, place.relation],
    queryFn: ({ signal }) =>
      ask(
        api.GET("/c/{connection}/models/{model}/entities/{entity}", {
          params: {
            path: { connection: place.connection, model: place.model, entity },
            query: { id, relation: place.relation },
          },
          signal,
        }),
      ),
    enabled: entity !== "" && id !== "",
  });
