import { useCallback, useEffect, useRef, useState } from "react";
import { api, Problem, type ProblemBody } from "../../api/client";
import type { components } from "../../api/schema.gen";
import { halves } from "../../lib/units";
import type { LiveSearch } from "./search";

export type SeenRequest = components["schemas"]["SeenRequest"];
export type SeenWhole = components["schemas"]["SeenWhole"];

/** Requests that the page holds. */
export const HELD = 500;
const ASK_MS = 700;
const TROUBLE_MS = 3000;

export interface Seen {
  /** The newest first. */
  rows: SeenRequest[];
  /** Requests that came while the page was paused. */
  waiting: number;
  missed: number;
  problem: Problem | null;
  /** Whether the server has answered once. */
  settled: boolean;
}

const nothing: Seen = { rows: [], waiting: 0, missed: 0, problem: null, settled: false };

/** Asks again and again for what came; paused, it only counts. */
export function useSeen(connection: string, paused: boolean): Seen & { clear: () => void } {
  const [seen, setSeen] = useState(nothing);
  const held = useRef({ last: 0, missed: 0, rows: [] as SeenRequest[], waiting: [] as SeenRequest[] });
  const isPaused = useRef(paused);
  isPaused.current = paused;
  const show = useCallback((problem: Problem | null) => {
    const now = held.current;
    if (!isPaused.current && now.waiting.length > 0) {
      now.rows = [...now.waiting, ...now.rows].slice(0, HELD);
      now.waiting = [];
    }
    setSeen({ rows: now.rows, waiting: now.waiting.length, missed: now.missed, problem, settled: true });
  }, []);
  useEffect(() => {
    const stop = new AbortController();
    let timer = 0;
    const round = async () => {
      const params = { path: { connection }, query: { after: held.current.last } };
      const answer = await api
        .GET("/c/{connection}/live", { params, signal: stop.signal })
        .catch((cause): { data?: undefined; error: ProblemBody } => ({
          error: { code: "offline", message: String(cause) },
        }));
      if (stop.signal.aborted) return;
      if (answer.data === undefined) {
        show(new Problem(answer.error));
        timer = window.setTimeout(round, TROUBLE_MS);
        return;
      }
      const { requests, last, missed } = answer.data;
      const now = held.current;
      // Before the first answer nothing was missed, and a server that started anew counts from one.
      if (now.last > 0 && last >= now.last) now.missed += missed;
      now.last = last;
      now.waiting = [...requests.reverse(), ...now.waiting].slice(0, HELD);
      show(null);
      timer = window.setTimeout(round, ASK_MS);
    };
    void round();
    return () => {
      stop.abort();
      window.clearTimeout(timer);
    };
  }, [connection, show]);
  useEffect(() => {
    if (!paused) setSeen((s) => (s.settled ? { ...s, ...resumed(held.current) } : s));
  }, [paused]);
  const clear = () => {
    held.current.rows = [];
    held.current.waiting = [];
    held.current.missed = 0;
    show(seen.problem);
  };
  return { ...seen, clear };
}

function resumed(now: { rows: SeenRequest[]; waiting: SeenRequest[] }): Partial<Seen> {
  now.rows = [...now.waiting, ...now.rows].slice(0, HELD);
  now.waiting = [];
  return { rows: now.rows, waiting: 0 };
}

const words = (r: SeenRequest) =>
  [r.operation, ...r.tables, r.index, r.key, r.error].filter(Boolean).join(" ").toLowerCase();

/** The requests that pass the filter. */
export function passing(rows: SeenRequest[], { table, op, failed, find }: LiveSearch): SeenRequest[] {
  const wanted = find.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter(
    (r) =>
      (table === "" || r.tables.includes(table)) &&
      (op === "" || r.operation === op) &&
      (!failed || r.error !== null) &&
      wanted.every((word) => words(r).includes(word)),
  );
}

const WINDOW_MS = 10_000;

export interface Rates {
  requests: number;
  rcu: number;
  wcu: number;
  errors: number;
}

/** What came in the last ten seconds, by the second; rows are the newest first. */
export function ratesOf(rows: SeenRequest[], now: number): Rates {
  const recent = rows.filter((r) => now - r.at < WINDOW_MS);
  const seconds = WINDOW_MS / 1000;
  const sum = (units: (r: SeenRequest) => string) =>
    recent.reduce((all, r) => all + halves(units(r)), 0) / 2 / seconds;
  return {
    requests: recent.length / seconds,
    rcu: sum((r) => r.read_units),
    wcu: sum((r) => r.write_units),
    errors: recent.filter((r) => r.error !== null).length,
  };
}

/** A rate with as many digits as say something. */
export const rateText = (n: number) => (n === 0 ? "0" : n < 10 ? n.toFixed(1) : Math.round(n).toString());
