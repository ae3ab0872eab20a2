"""The graph from Python, with nothing but the standard library.

Start a server (`bothways serve --memory`), then: python3 examples/graph.py [http://127.0.0.1:8000]
"""

import json
import sys
import urllib.error
import urllib.parse
import urllib.request
import uuid


class Problem(Exception):
    """A refusal; `kind` is what to test for."""

    def __init__(self, details):
        super().__init__(details["detail"])
        self.kind = details["type"].rsplit(":", 1)[-1]
        self.details = details


class Graph:
    """One model of a server."""

    def __init__(self, server, model):
        self.root = f"{server}/graph/v1/{model}"

    def send(self, method, *path, body=None, key=None, **query):
        url = "/".join([self.root, *(urllib.parse.quote(part, safe="") for part in path)])
        if query:
            url += "?" + urllib.parse.urlencode(query)
        headers = {"content-type": "application/json"}
        if key:
            headers["idempotency-key"] = key
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=35) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refused:
            raise Problem(json.load(refused)) from None

    def link(self, relation, source, target, **attributes):
        """Adds an edge, once: a lost answer is asked for again under the same key."""
        key = str(uuid.uuid4())
        for attempt in range(3):
            try:
                body = {"attributes": attributes}
                return self.send("POST", "edges", relation, source, target, body=body, key=key)
            except (Problem, OSError) as failure:
                again = not isinstance(failure, Problem) or failure.kind in ("unknown-fate", "throttled", "contended")
                if not again or attempt == 2:
                    raise

    def edges(self, relation, node, side):
        """Every edge of a node, page by page."""
        after = {}
        while True:
            page = self.send("GET", "nodes", relation, node, side, limit=100, **after)
            yield from page["edges"]
            if page["next"] is None:
                return
            after = {"after": page["next"]}


def main(server):
    graph = Graph(server, "follow")
    graph.send("POST", "apply")
    for source, target in [("alice", "bob"), ("alice", "carol"), ("dave", "bob"), ("zoë/1", "bob")]:
        print("link", source, target, graph.link("follows", source, target, note="hello")["result"])
    print("again", graph.link("follows", "alice", "bob")["result"])
    print("followers of bob:", *sorted(edge["source"] for edge in graph.edges("follows", "bob", "in")))
    print("alice follows:", *sorted(edge["target"] for edge in graph.edges("follows", "alice", "out")))
    print("bob is followed by", graph.send("GET", "nodes", "follows", "bob", "counts")["in"])
    graph.send("PUT", "entities", "actor", "bob", body={"attributes": {"name": "Bob", "tags": {"$SS": ["a", "b"]}}})
    print("bob is", graph.send("GET", "entities", "actor", "bob")["item"]["attributes"]["name"])
    try:
        graph.send("DELETE", "entities", "actor", "bob")
    except Problem as refused:
        print("refused:", refused.kind)
    print("unlink", graph.send("DELETE", "edges", "follows", "zoë/1", "bob")["result"])
    try:
        graph.send("GET", "edges", "follows", "zoë/1", "bob")
    except Problem as refused:
        print("refused:", refused.kind)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000")
