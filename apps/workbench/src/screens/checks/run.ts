import { useEffect, useRef, useState } from "react";
import { api, ask } from "../../api/client";
import type { components } from "../../api/schema.gen";
import { halves } from "../../lib/units";
import type { Proof } from "../tables/reads";

export type Ran = components["schemas"]["PatternRan"];

/** One pattern of a model: the requests of its proof, in order. */
export interface Pattern {
  name: string;
  of: string;
  proofs: Proof[];
  writes: boolean;
}

const WRITES = ["set", "link", "unlink"];

export function patternsOf(proofs: Proof[]): Pattern[] {
  const named = new Map<string, Pattern>();
  for (const proof of proofs) {
    const known = named.get(proof.name);
    if (known) known.proofs.push(proof);
    else {
      const { name, of } = proof;
      named.set(name, { name, of, proofs: [proof], writes: WRITES.includes(proof.access) });
    }
  }
  return [...named.values()];
}

/** Whether a pattern is sent from here: what writes is not, nor is a request of the application's own. */
export const isRun = ({ writes, proofs }: Pattern): boolean =>
  !writes && !proofs.every((proof) => proof.access === "find");

/** What a pattern takes by its proof, for as many items as the model states. */
export function plannedOf({ proofs }: Pattern): { rcu: number; wcu: number } {
  const of = (units: (proof: Proof) => string) =>
    proofs.reduce((sum, proof) => sum + halves(units(proof)), 0) / 2;
  return { rcu: of((proof) => proof.read_units), wcu: of((proof) => proof.write_units) };
}

/** What one pattern came to: the server's verdict on it, or why there is none. */
export type Result = { ran: Ran } | { error: unknown };

export interface Ends {
  source: string;
  target: string;
}

/** Runs patterns one after the other; each verdict is shown as it comes. */
export function useRuns(connection: string, model: string) {
  const [results, setResults] = useState<Record<string, Result>>({});
  const [running, setRunning] = useState<string | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);

  const run = async (patterns: Pattern[], ends: Ends | null) => {
    stop.current?.abort();
    const controller = new AbortController();
    stop.current = controller;
    // An example that was looked for once serves what is of the same relation or entity.
    const found = new Map<string, Ends>();
    for (const { name, of } of patterns) {
      setRunning(name);
      const path = { connection, model, pattern: name };
      const query = ends ?? found.get(of) ?? {};
      let result: Result;
      try {
        const { signal } = controller;
        const params = { path, query };
        const ran = await ask(
          api.GET("/c/{connection}/models/{model}/patterns/{pattern}", { params, signal }),
        );
        const { src, dst } = ran.ids;
        if (ran.looked_for > 0 && src && dst) found.set(of, { source: src, target: dst });
        result = { ran };
      } catch (error) {
        if (controller.signal.aborted) break;
        result = { error };
      }
      setResults((before) => ({ ...before, [name]: result }));
      if ("error" in result) break;
    }
    if (stop.current === controller) setRunning(null);
  };
  return { results, running, run, cancel: () => stop.current?.abort() };
}

/** Read units that results have used, looking for examples included. */
export function unitsOf(results: Result[]): number {
  const requests = results.flatMap((r) => ("ran" in r ? r.ran.receipt.requests : []));
  return requests.reduce((sum, r) => sum + halves(r.read_units), 0);
}
