// The graph from JavaScript, with nothing but fetch.
//
// Start a server (`bothways serve --memory`), then: node examples/graph.mjs [http://127.0.0.1:8000]

import { randomUUID } from "node:crypto";

/** A refusal; `kind` is what to test for. */
class Problem extends Error {
  constructor(details) {
    super(details.detail);
    this.kind = details.type.split(":").at(-1);
    this.details = details;
  }
}

/** One model of a server. */
class Graph {
  constructor(server, model) {
    this.root = `${server}/graph/v1/${model}`;
  }

  async send(method, path, { body, key, query } = {}) {
    const url = [this.root, ...path.map(encodeURIComponent)].join("/");
    const headers = { "content-type": "application/json" };
    if (key) headers["idempotency-key"] = key;
    const answer = await fetch(query ? `${url}?${new URLSearchParams(query)}` : url, {
      method,
      headers,
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(35_000),
    });
    const json = await answer.json();
    if (!answer.ok) throw new Problem(json);
    return json;
  }

  /** Adds an edge, once: a lost answer is asked for again under the same key. */
  async link(relation, source, target, attributes = {}) {
    const key = randomUUID();
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.send("POST", ["edges", relation, source, target], { body: { attributes }, key });
      } catch (failure) {
        const again =
          !(failure instanceof Problem) || ["unknown-fate", "throttled", "contended"].includes(failure.kind);
        if (!again || attempt === 2) throw failure;
      }
    }
  }

  /** Every edge of a node, page by page. */
  async *edges(relation, node, side) {
    const query = { limit: 100 };
    do {
      const page = await this.send("GET", ["nodes", relation, node, side], { query });
      yield* page.edges;
      query.after = page.next;
    } while (query.after !== null);
  }
}

async function names(edges, end) {
  const found = [];
  for await (const edge of edges) found.push(edge[end]);
  return found.sort().join(" ");
}

async function main(server) {
  const graph = new Graph(server, "follow");
  await graph.send("POST", ["apply"]);
  for (const [source, target] of [["alice", "bob"], ["alice", "carol"], ["dave", "bob"], ["zoë/1", "bob"]]) {
    console.log("link", source, target, (await graph.link("follows", source, target, { note: "hello" })).result);
  }
  console.log("again", (await graph.link("follows", "alice", "bob")).result);
  console.log("followers of bob:", await names(graph.edges("follows", "bob", "in"), "source"));
  console.log("alice follows:", await names(graph.edges("follows", "alice", "out"), "target"));
  console.log("bob is followed by", (await graph.send("GET", ["nodes", "follows", "bob", "counts"])).in);
  const attributes = { name: "Bob", tags: { $SS: ["a", "b"] } };
  await graph.send("PUT", ["entities", "actor", "bob"], { body: { attributes } });
  console.log("bob is", (await graph.send("GET", ["entities", "actor", "bob"])).item.attributes.name);
  const refused = (problem) => console.log("refused:", problem.kind);
  await graph.send("DELETE", ["entities", "actor", "bob"]).catch(refused);
  console.log("unlink", (await graph.send("DELETE", ["edges", "follows", "zoë/1", "bob"])).result);
  await graph.send("GET", ["edges", "follows", "zoë/1", "bob"]).catch(refused);
}

await main(process.argv[2] ?? "http://127.0.0.1:8000");
