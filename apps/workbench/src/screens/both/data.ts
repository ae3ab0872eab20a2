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

/** The first edges of a node on one side, up to a limit: what the map draws. */
export const neighboursQuery = (place: Place, side: Side, node: string, limit: number) =>
  queryOptions({
    queryKey: ["neighbours", place, side, node, limit],
    queryFn: ({ signal }) => {
      const params = { path: { ...place }, query: { node, limit } };
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

/** The item of an entity, with its counters. */
export const entityQuery = (place: Place, entity: string, id: string) =>
  queryOptions({
    queryKey: ["entity", place.connection, place.model, entity, id],
    queryFn: ({ signal }) =>
      ask(
        api.GET("/c/{connection}/models/{model}/entities/{entity}", {
          params: {
            path: { connection: place.connection, model: place.model, entity },
            query: { id },
          },
          signal,
        }),
      ),
    enabled: entity !== "" && id !== "",
  });
