import type { components } from "../../api/schema.gen";

export type Heat = components["schemas"]["Heat"];
export type HeatKey = components["schemas"]["HeatKey"];
export type By = "writes" | "reads";

/** Units a second that a partition takes. Source: Developer Guide, "Designing partition keys". */
export const LIMITS: Record<By, number> = { writes: 1000, reads: 3000 };
export const UNITS: Record<By, string> = { writes: "WCU", reads: "RCU" };

/** Samples that are kept: a minute, one a second. */
export const SAMPLES = 60;
/** Seconds that a rate is taken over, so that it does not flicker. */
const OVER = 3;

/** What one key had used at each sample. */
type Track = { at: number; read: number; write: number }[];

/** The keys of the last minute, by place and key. */
export type Tracks = Map<string, Track>;

const SEPARATOR = "\u001f";

export const idOf = (index: string | null, key: HeatKey) => `${index ?? ""}${SEPARATOR}${key.words}`;

/** Takes a sample in; what is no longer among the busiest is forgotten. */
export function take(tracks: Tracks, heat: Heat): Tracks {
  const next: Tracks = new Map();
  for (const place of heat.places)
    for (const key of place.keys) {
      const id = idOf(place.index, key);
      const sample = { at: heat.at, read: key.read_milli, write: key.write_milli };
      const track = tracks.get(id) ?? [];
      const last = track[track.length - 1];
      // A counter that was taken over begins anew.
      const fresh = last !== undefined && (last.read > sample.read || last.write > sample.write);
      next.set(id, fresh ? [sample] : [...track, sample].slice(-SAMPLES));
    }
  return next;
}

const used = (sample: Track[number], by: By) => (by === "reads" ? sample.read : sample.write) / 1000;

/** Units a second between two samples. */
function between(from: Track[number] | undefined, to: Track[number] | undefined, by: By): number {
  if (from === undefined || to === undefined || to.at <= from.at) return 0;
  return ((used(to, by) - used(from, by)) * 1000) / (to.at - from.at);
}

/** Units a second over the last seconds. */
export function rateOf(track: Track | undefined, by: By): number {
  if (track === undefined) return 0;
  return between(track[Math.max(0, track.length - 1 - OVER)], track[track.length - 1], by);
}

/** Units a second at each step of the last minute, the latest last. */
export const seriesOf = (track: Track | undefined, by: By): number[] =>
  (track ?? []).slice(1).map((sample, i) => between(track?.[i], sample, by));

/** Where a rate stands between nothing and the limit. */
export const lengthOf = (rate: number, by: By) => Math.min(1, Math.max(0, rate) / LIMITS[by]);

export interface Foreseen {
  /** Units a second at the busiest key of the list, and at the busiest counter. */
  list: number;
  counter: number;
  /** The share that is refused, 0 to 1. */
  refused: number;
  /** New edges a second that go without being refused. */
  most: number;
}

/** Write units of a link at its index key and, in a transaction and so doubled, at its counter. */
const LIST_UNITS = 1;
const COUNTER_UNITS = 2;

/** What a load of new edges does to keys that take these shares of them. */
export function foresee(edges: number[], load: number): Foreseen {
  const all = edges.reduce((sum, n) => sum + n, 0) || 1;
  const shares = edges.map((n) => n / all);
  const busiest = Math.max(...shares, 0);
  const most = LIMITS.writes / (busiest * COUNTER_UNITS);
  const taken = shares.reduce((sum, share) => sum + Math.min(share * load, LIMITS.writes / COUNTER_UNITS), 0);
  return {
    list: busiest * load * LIST_UNITS,
    counter: busiest * load * COUNTER_UNITS,
    refused: load === 0 ? 0 : 1 - taken / load,
    most: Math.floor(most),
  };
}

/** A number with as many digits as say something. */
export const short = (n: number) =>
  n === 0 ? "0" : n < 10 ? n.toFixed(1) : Math.round(n).toLocaleString("en");
