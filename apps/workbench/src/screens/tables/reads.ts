import { queryOptions } from "@tanstack/react-query";
import { api, ask, type Item, type Model } from "../../api/client";
import type { components } from "../../api/schema.gen";
import { keyText } from "../../lib/key";
import type { TableInfo } from "./schema";
import { emptySearch, type Search } from "./search";

export type Proof = components["schemas"]["PatternProof"];
export type Reading = components["schemas"]["Reading"];

export const checkQuery = (connection: string, model: string) =>
  queryOptions({
    queryKey: ["check", connection, model],
    queryFn: ({ signal }) =>
      ask(
        api.GET("/c/{connection}/models/{model}/check", { params: { path: { connection, model } }, signal }),
      ),
  });

/** A template in pieces: fixed text, and slots to be filled. */
export type Piece = { text: string } | { slot: string };

export function piecesOf(template: string): Piece[] {
  return template
    .split(/(\{\w+\})/)
    .filter((part) => part !== "")
    .map((part) => (/^\{\w+\}$/.test(part) ? { slot: part.slice(1, -1) } : { text: part }));
}

export const slotsOf = (reading: Reading): string[] => [
  ...new Set(
    [reading.pk, reading.sk ?? ""]
      .flatMap(piecesOf)
      .flatMap((piece) => ("slot" in piece ? [piece.slot] : [])),
  ),
];

/** An id as it stands in keys: docs/models.md, "Keys". */
const escapeId = (id: string) => id.replaceAll("%", "%25").replaceAll("#", "%23");

export const fill = (template: string, ids: Record<string, string>) =>
  piecesOf(template)
    .map((piece) => ("slot" in piece ? escapeId(ids[piece.slot] ?? "") : piece.text))
    .join("");

/** What a read asks for, with the ids in its slots: a list by Query, one item by its key. */
export function searchOf(table: TableInfo, reading: Reading, ids: Record<string, string>): Search {
  const pk = fill(reading.pk, ids);
  const sk = fill(reading.sk ?? "", ids);
  if (reading.exact && table.keys.range !== null) {
    const key: Item = { [table.keys.hash.name]: { S: pk }, [table.keys.range.name]: { S: sk } };
    return { ...emptySearch, item: keyText(key) };
  }
  return { ...emptySearch, index: reading.index ?? "", pk, sk, op: "begins_with" };
}

/** The ids that an edge known to be there gives a slot: a read can be tried before anything is typed. */
export function firstIds(model: Model, proof: Proof): Record<string, string> {
  for (const first of model.firsts) {
    const relation = model.relations.find((r) => r.name === first.relation);
    if (relation === undefined) continue;
    const { source, target } = first;
    if (proof.of === relation.name) return { src: source, dst: target, id: target };
    if (proof.of === relation.source) return { id: source };
    if (proof.of === relation.target) return { id: target };
  }
  return {};
}
