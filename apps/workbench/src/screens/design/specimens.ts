import { QueryClient } from "@tanstack/react-query";
import { type Edge, type EdgePage, type Item, type Outcome, Problem, type Receipt } from "../../api/client";
import { edgeQuery, listQuery } from "../both/data";

export const LONG =
  "a text that is longer than any column and must be cut with an ellipsis, never wrapped, 日本語も同じ";
export const DIGITS = "12345678901234567890123456789012345678";

export const item: Item = {
  PK: { S: "ACTOR#alice" },
  SK: { S: "TARGET#bob" },
  createdAt: { N: "1718900000" },
  exact: { N: DIGITS },
  long: { S: LONG },
  tags: { SS: ["a,b", "c#d", "e/f"] },
  nested: { M: { list: { L: [{ N: "1" }, { NULL: true }] } } },
  picture: { B: "iVBORw0KGgoAAAANSUhEUg==" },
  yes: { BOOL: true },
};

const read = { table: "follow", consistency: "eventual", write_units: "0" } as const;
export const receipt: Receipt = {
  sent: [],
  requests: [
    {
      ...read,
      operation: "Query",
      index: "GSI1",
      key: "GSI1PK = TARGET#bob",
      pages: 1,
      count: 2,
      scanned: 2,
      read_units: "0.5",
      micros: 412,
    },
    { ...read, operation: "Scan", pages: 3, count: 2500, scanned: 2500, read_units: "128.5", micros: 18200 },
  ],
};

export const longReceipt = (key: string): Receipt => ({
  sent: [],
  requests: receipt.requests.map((request) => ({ ...request, key })),
});

export const refused = new Problem({
  code: "ConditionalCheckFailedException",
  message: "The conditional request failed",
  hint: "createdAt is no longer 1718900000.",
  item: { PK: { S: "ACTOR#alice" }, createdAt: { N: DIGITS } },
});
export const throttled = new Problem({
  code: "ProvisionedThroughputExceededException",
  message:
    "The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API.",
});
export const tooLong = (words: string) =>
  new Problem({ code: "ValidationException", message: words, hint: words });
export const offline = new Problem({ code: "offline", message: "" });

const names = { "#pk": "PK" };
export const unchanged: Outcome = {
  outcome: "unchanged",
  existing: null,
  receipt: { requests: [], sent: [] },
  transaction: {
    ClientRequestToken: "k2v7…",
    TransactItems: [
      {
        Put: {
          Item: { PK: { S: "ACTOR#alice" }, SK: { S: "TARGET#bob" } },
          ConditionExpression: "attribute_not_exists(#pk)",
          ExpressionAttributeNames: names,
        },
      },
      {
        Update: {
          Key: { PK: { S: "ACTOR#alice" }, SK: { S: "PROFILE" } },
          UpdateExpression: "ADD following :one",
          ExpressionAttributeValues: { ":one": { N: "1" } },
        },
      },
    ],
  },
  reasons: [
    { code: "ConditionalCheckFailed", message: "The conditional request failed", item: null },
    { code: "None", message: null, item: null },
  ],
};

export const longTransaction = (words: string): Outcome => ({
  ...unchanged,
  transaction: {
    ClientRequestToken: words,
    TransactItems: [
      {
        Update: {
          Key: { PK: { S: words }, SK: { S: words } },
          UpdateExpression: "SET #n = :n",
          ExpressionAttributeNames: { "#n": "note" },
          ExpressionAttributeValues: { ":n": { S: words } },
        },
      },
    ],
  },
  reasons: [{ code: "ValidationError", message: words, item: null }],
});

export const place = { connection: "design", model: "follow", relation: "follows" };

function page(targets: string[], counter: string): EdgePage {
  const edges: Edge[] = targets.map((target) => ({
    source: "alice",
    target,
    item: { createdAt: { N: "1718900000" }, weight: { N: DIGITS } },
  }));
  return { edges, next: null, counter, missing: false, receipt };
}

/** Answers for the lists and the card, so that they stand in every state without a server. */
export function specimenClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } },
  });
  const list = (node: string, pages: EdgePage) =>
    client.setQueryData(listQuery(place, "out", node).queryKey, { pages: [pages], pageParams: [undefined] });
  list("alice", page(["bob", "carol", LONG], "3"));
  list("drift", page(["bob"], DIGITS));
  list("nobody", page([], "0"));
  list(LONG, page([LONG], "1"));
  const waits = { queryFn: () => new Promise<never>(() => undefined) };
  void client.prefetchQuery({ queryKey: listQuery(place, "out", "slow").queryKey as unknown[], ...waits });
  const fails = { queryFn: () => Promise.reject(throttled) };
  void client.prefetchQuery({
    queryKey: listQuery(place, "out", "throttled").queryKey as unknown[],
    ...fails,
  });
  const edge = (target: string) => edgeQuery(place, "alice", target).queryKey as unknown[];
  void client.prefetchQuery({ queryKey: edge("slow"), ...waits });
  void client.prefetchQuery({ queryKey: edge("throttled"), ...fails });
  const card = (target: string, found: Item | null) =>
    client.setQueryData(edgeQuery(place, "alice", target).queryKey, { item: found, key: {}, receipt });
  card("bob", { ...item, GSI1PK: { S: "TARGET#bob" }, GSI1SK: { S: "ACTOR#alice" } });
  card("nobody", null);
  for (const words of [LONG, DIGITS])
    card(words, {
      PK: { S: "ACTOR#alice" },
      SK: { S: `TARGET#${words}` },
      weight: { N: DIGITS },
      note: { S: words },
    });
  return client;
}

export const relation = {
  name: "follows",
  source: "actor",
  target: "actor",
  out: "follows",
  in: "is followed by",
  pk: "ACTOR#{src}",
  sk: "TARGET#{dst}",
  key_names: ["PK", "SK"],
  index: "GSI1",
  index_key_names: ["GSI1PK", "GSI1SK"],
  index_pk: "TARGET#{dst}",
  index_sk: "ACTOR#{src}",
  attributes: ["createdAt", "weight"],
  out_counter: "following",
  in_counter: "followers",
  undirected: false,
};
