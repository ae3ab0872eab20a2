import { api, ask, type Model, type Receipt } from "../../api/client";
import { send } from "../tables/data";
import { firstIds, type Proof, searchOf, slotsOf } from "../tables/reads";
import type { TableInfo } from "../tables/schema";
import { requestOf } from "../tables/search";

export interface Run {
  proof: Proof;
  /** What was sent for it; none where an id was missing, or it is a write. */
  receipt: Receipt | null;
  ids: Record<string, string>;
  pass: boolean;
}

/** Runs one read as the model says, with the ids of the model's first edge. Writes are not run. */
export async function runRead(
  connection: string,
  model: Model,
  table: TableInfo,
  proof: Proof,
): Promise<Run> {
  const ids = firstIds(model, proof);
  const { reading } = proof;
  if (!reading || slotsOf(reading).some((slot) => !ids[slot]))
    return { proof, receipt: null, ids, pass: false };
  const receipt = await sent(connection, model, table, proof, ids);
  const [first] = receipt.requests;
  const pass =
    first !== undefined &&
    first.operation === proof.operation &&
    (first.index ?? null) === (proof.index ?? null);
  return { proof, receipt, ids, pass };
}

async function sent(
  connection: string,
  model: Model,
  table: TableInfo,
  proof: Proof,
  ids: Record<string, string>,
): Promise<Receipt> {
  const path = { connection, model: model.name, relation: proof.of };
  const one = model.relations.find((r) => r.name === proof.of);
  const { src = "", dst = "", id = "" } = ids;
  switch (proof.access) {
    case "out":
    case "in": {
      const params = { path, query: { node: proof.access === "out" ? src : dst, limit: 100 } };
      const page =
        proof.access === "out"
          ? await ask(api.GET("/c/{connection}/models/{model}/relations/{relation}/out", { params }))
          : await ask(api.GET("/c/{connection}/models/{model}/relations/{relation}/in", { params }));
      // The list itself; the counter beside it is another read.
      return { ...page.receipt, requests: page.receipt.requests.slice(0, 1) };
    }
    case "edge": {
      const params = { path, query: { source: src, target: dst } };
      return (await ask(api.GET("/c/{connection}/models/{model}/relations/{relation}/edge", { params })))
        .receipt;
    }
    case "count":
    case "entity": {
      const entity = one === undefined ? proof.of : one.target;
      const params = { path: { connection, model: model.name, entity }, query: { id } };
      return (await ask(api.GET("/c/{connection}/models/{model}/entities/{entity}", { params }))).receipt;
    }
    default: {
      const search = searchOf(table, proof.reading as NonNullable<typeof proof.reading>, ids);
      const { operation, input } = requestOf(table, search, undefined);
      return (await send(connection, operation, input)).receipt;
    }
  }
}

/** The key in a finding's words, `PK = ACTOR#bob, SK = PROFILE`, as an item's key. */
export function keyOfWords(table: TableInfo, words: string): string | null {
  const { hash, range } = table.keys;
  const parted = `, ${range?.name} = `;
  const at = range === null ? words.length : words.indexOf(parted);
  if (!words.startsWith(`${hash.name} = `) || at < 0) return null;
  const key: [string, Record<string, string>][] = [
    [hash.name, { [hash.type]: words.slice(hash.name.length + 3, at) }],
  ];
  if (range !== null) key.push([range.name, { [range.type]: words.slice(at + parted.length) }]);
  return JSON.stringify(key.sort(([a], [b]) => (a < b ? -1 : 1)));
}
