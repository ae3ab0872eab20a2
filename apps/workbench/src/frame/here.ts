import { useQuery } from "@tanstack/react-query";
import { useLocation, useParams } from "@tanstack/react-router";
import type { Connection, Model } from "../api/client";
import { connectionsQuery, modelsQuery } from "../screens/both/data";

export interface Here {
  connection: string;
  place: Connection | undefined;
  connections: Connection[];
  models: Model[];
  /** The models are known, or it is known that they cannot be: what depends on them can be drawn for good. */
  settled: boolean;
  /** The model of the screen, or the first that has an edge to show. */
  model: Model | undefined;
  path: string;
  /** The path below the connection. */
  rest: string;
}

/** Where the session is: its connection, the models there, and the screen. */
export function useHere(): Here {
  const params = useParams({ strict: false });
  const path = useLocation({ select: (location) => location.pathname });
  const connections = useQuery(connectionsQuery);
  const connection = params.connection ?? connections.data?.[0]?.name ?? "";
  const models = useQuery({ ...modelsQuery(connection), enabled: connection !== "" });
  const named = models.data?.find((m) => m.name === params.model);
  return {
    connection,
    place: connections.data?.find((c) => c.name === connection),
    connections: connections.data ?? [],
    models: models.data ?? [],
    settled: !(models.isPending || connections.isPending) || connections.isError,
    model: named ?? models.data?.find((m) => m.firsts.length > 0) ?? models.data?.[0],
    path,
    rest: path.split("/").slice(3).join("/"),
  };
}
