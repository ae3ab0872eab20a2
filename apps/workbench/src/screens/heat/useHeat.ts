import { useMutation } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { api, ask, Problem } from "../../api/client";
import { type Heat, type Tracks, take } from "./rates";

const ASK_MS = 1000;
const TROUBLE_MS = 3000;

export interface Watched {
  heat: Heat | null;
  tracks: Tracks;
  problem: Problem | null;
}

/** Reads the heat of a table once a second. */
export function useHeat(connection: string, table: string): Watched & { again: () => void } {
  const [watched, setWatched] = useState<Watched>({ heat: null, tracks: new Map(), problem: null });
  const [round, setRound] = useState(0);
  const tracks = useRef<Tracks>(new Map());
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round asks at once
  useEffect(() => {
    if (table === "") return;
    const stop = new AbortController();
    let timer = 0;
    const look = async () => {
      const params = { path: { connection }, query: { table } };
      const answer = await api
        .GET("/c/{connection}/heat", { params, signal: stop.signal })
        .catch((cause) => ({ data: undefined, error: { code: "offline", message: String(cause) } }));
      if (stop.signal.aborted) return;
      if (answer.data === undefined) {
        const problem = new Problem(answer.error);
        setWatched((w) => ({ ...w, problem }));
      } else {
        tracks.current = take(tracks.current, answer.data);
        setWatched({ heat: answer.data, tracks: tracks.current, problem: null });
      }
      timer = window.setTimeout(look, answer.data === undefined ? TROUBLE_MS : ASK_MS);
    };
    void look();
    return () => {
      stop.abort();
      window.clearTimeout(timer);
    };
  }, [connection, table, round]);
  const again = useCallback(() => setRound((n) => n + 1), []);
  return { ...watched, again };
}

/** Has the keys counted, or not any more. */
export const useSwitch = (connection: string, table: string, onDone: () => void) =>
  useMutation({
    mutationFn: (on: boolean) =>
      ask(api.POST("/c/{connection}/heat", { params: { path: { connection } }, body: { table, on } })),
    onSuccess: onDone,
  });
