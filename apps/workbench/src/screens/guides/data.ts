import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask } from "../../api/client";
import type { components } from "../../api/schema.gen";

export type Ran = components["schemas"]["GuideStep"];

export const guidesQuery = (language: string) =>
  queryOptions({
    queryKey: ["guides", language],
    queryFn: ({ signal }) => ask(api.GET("/guides", { params: { query: { language } }, signal })),
  });

export const guideQuery = (guide: string, language: string) =>
  queryOptions({
    queryKey: ["guide", guide, language],
    queryFn: ({ signal }) =>
      ask(api.GET("/guides/{guide}", { params: { path: { guide }, query: { language } }, signal })),
  });

export interface Running {
  /** What was printed here, by the command's number. */
  printed: ReadonlyMap<number, Ran>;
  /** The number of the command that is at work. */
  busy: number | null;
  problem: unknown;
  /** Runs a command, and before it those that it rests on. */
  run: (step: number) => Promise<void>;
  restart: () => Promise<void>;
}

/** The commands of one guide, of which the server says how many have been run. */
export function useRunning(guide: string, ran: number): Running {
  const client = useQueryClient();
  const [printed, setPrinted] = useState<ReadonlyMap<number, Ran>>(new Map());
  const [busy, setBusy] = useState<number | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const known = async (work: () => Promise<void>) => {
    setProblem(null);
    try {
      await work();
    } catch (error) {
      setProblem(error);
    }
    setBusy(null);
    await client.invalidateQueries({ queryKey: ["guide", guide] });
  };
  return {
    printed,
    busy,
    problem,
    run: (step) =>
      known(async () => {
        for (let at = Math.min(ran, step); at <= step; at++) {
          setBusy(at);
          const params = { path: { guide, step: String(at) } };
          const done = await ask(api.POST("/guides/{guide}/steps/{step}", { params }));
          setPrinted((before) => new Map(before).set(at, done));
        }
      }),
    restart: () =>
      known(async () => {
        await ask(api.POST("/guides/{guide}/restart", { params: { path: { guide } } }));
        setPrinted(new Map());
      }),
  };
}
