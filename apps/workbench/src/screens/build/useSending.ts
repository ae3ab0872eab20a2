import { useRef, useState } from "react";
import type { Item } from "../../api/client";
import { send } from "../tables/data";
import type { Built } from "./data";
import type { Answer } from "./Result";

type Input = Record<string, unknown>;

/** The items of an answer, whatever the operation. */
function itemsOf(output: Input): Item[] {
  if (Array.isArray(output.Items)) return output.Items as Item[];
  if (output.Item ?? output.Attributes) return [(output.Item ?? output.Attributes) as Item];
  const responses = output.Responses;
  if (Array.isArray(responses))
    return responses.flatMap((one: { Item?: Item }) => (one.Item ? [one.Item] : []));
  return Object.values((responses ?? {}) as Record<string, Item[]>).flat();
}

/** The request of the page after an answer; null after the last. */
function nextOf(input: Input, output: Input): Input | null {
  if (output.LastEvaluatedKey) return { ...input, ExclusiveStartKey: output.LastEvaluatedKey };
  if (output.NextToken) return { ...input, NextToken: output.NextToken };
  return null;
}

/** Sends a request page by page; one page at a time, each when it is asked for. */
export function useSending(connection: string) {
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [pending, setPending] = useState(false);
  const next = useRef<{ operation: string; input: Input } | null>(null);
  const stop = useRef<AbortController | null>(null);

  const page = async (operation: string, input: Input, before: Answer | null) => {
    stop.current?.abort();
    const controller = new AbortController();
    stop.current = controller;
    setPending(true);
    setError(null);
    try {
      const { output, receipt } = await send(connection, operation, input, controller.signal);
      const items = [...(before?.items ?? []), ...itemsOf(output)];
      const rest = nextOf(input, output);
      next.current = rest && { operation, input: rest };
      const count = input.Select === "COUNT" ? (before?.count ?? 0) + Number(output.Count) : null;
      setAnswer({ items, count, receipt, more: rest !== null });
    } catch (cause) {
      if (!controller.signal.aborted) setError(cause);
    } finally {
      if (stop.current === controller) setPending(false);
    }
  };

  return {
    answer,
    error,
    pending,
    start: (built: Built) => page(built.operation, built.input as Input, null),
    more: () => next.current && page(next.current.operation, next.current.input, answer),
    cancel: () => {
      stop.current?.abort();
      setPending(false);
    },
    forget: () => {
      setAnswer(null);
      setError(null);
    },
  };
}
