import type { Item, Model, Relation } from "../api/client";
import { keyText } from "./key";

/** Where a relation lives, as the URL names it. */
export interface Place {
  connection: string;
  model: string;
  relation: string;
}

export type View = "edge" | "node" | "map";

/** The state of the screen Both ways: an edge by its ends, or a node by its entity and id. */
export interface BothSearch {
  s: string;
  t: string;
  view: View;
  /** The node in the middle of the node lens and of the map. */
  n: string;
  /** Its entity. */
  e: string;
}

const word = (value: unknown) =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

export const readBoth = (search: Record<string, unknown>): BothSearch => ({
  s: word(search.s),
  t: word(search.t),
  view: search.view === "node" || search.view === "map" ? search.view : "edge",
  n: word(search.n),
  e: word(search.e),
});

const part = encodeURIComponent;
const query = (members: Record<string, string>) => {
  const text = new URLSearchParams(Object.entries(members).filter(([, value]) => value !== "")).toString();
  return text === "" ? "" : `?${text}`;
};

/** Addresses of the screens. */
export const bothHref = ({ connection, model, relation }: Place, search: Partial<BothSearch>) =>
  `/c/${part(connection)}/both/${part(model)}/${part(relation)}${query({
    s: search.s ?? "",
    t: search.t ?? "",
    view: search.view === "edge" ? "" : (search.view ?? ""),
    n: search.n ?? "",
    e: search.e ?? "",
  })}`;
export const edgeHref = (place: Place, s: string, t: string) => bothHref(place, { s, t });
export const nodeHref = (place: Place, e: string, n: string, view: "node" | "map" = "node") =>
  bothHref(place, { view, e, n });
export const tablesHref = (connection: string, table = "") =>
  `/c/${part(connection)}/tables${table === "" ? "" : `/${part(table)}`}`;
/** A table with one of its items open. */
export const itemHref = (connection: string, table: string, key: Item) =>
  `${tablesHref(connection, table)}${query({ item: keyText(key) })}`;
/** The expression builder, on a request where one is given. */
export const buildHref = (connection: string, q = "") => `/c/${part(connection)}/build${query({ q })}`;
export const liveHref = (connection: string) => `/c/${part(connection)}/live`;
export const heatHref = (connection: string) => `/c/${part(connection)}/heat`;
export const dataHref = (connection: string) => `/c/${part(connection)}/data`;
/** The guide that the others rest on. */
export const firstGuide = "adjacency-list";
/** The guides, on one of them. */
export const guideHref = (connection: string, guide = firstGuide) =>
  `/c/${part(connection)}/guides/${part(guide)}`;
export const newModelHref = (connection: string) => `/c/${part(connection)}/model`;
export const checksHref = (connection: string, model: string) =>
  `/c/${part(connection)}/checks/${part(model)}`;
export const modelHref = (connection: string, model: string) => `/c/${part(connection)}/model/${part(model)}`;

/** The address that a relation opens on: its first edge where one is known. */
export function relationHref(connection: string, model: Model, relation: Relation): string {
  const first = model.firsts.find((edge) => edge.relation === relation.name);
  const place = { connection, model: model.name, relation: relation.name };
  return edgeHref(place, first?.source ?? "", first?.target ?? "");
}
