import { expect, it } from "vitest";
import { changesOf, HELD, newest, readRecord, type StreamRecord } from "./records";

const record = (id: string, at: number, more: Partial<StreamRecord> = {}): StreamRecord => ({
  id,
  kind: "MODIFY",
  at,
  keys: {},
  before: null,
  after: null,
  service: null,
  ...more,
});

it("the newest come first, in the order of their shard, and the oldest leave", () => {
  const first = newest([record("a", 1), record("b", 1)], []);
  expect(newest([record("c", 2), record("d", 1)], first).map(({ id }) => id)).toEqual(["c", "d", "b", "a"]);
  const many = Array.from({ length: HELD + 5 }, (_, at) => record(`${at}`, at));
  expect(newest(many, first)).toHaveLength(HELD);
});

it("what changed stands before what stayed", () => {
  const changes = changesOf(
    record("a", 1, {
      before: { PK: { S: "a" }, n: { N: "1" }, old: { S: "x" } },
      after: { PK: { S: "a" }, n: { N: "2" } },
    }),
  );
  expect(changes.map(({ name, changed }) => [name, changed])).toEqual([
    ["n", true],
    ["old", true],
    ["PK", false],
  ]);
});

it("a record of the service says who it was", () => {
  const wire = {
    eventID: "1",
    eventName: "REMOVE" as const,
    userIdentity: { PrincipalId: "dynamodb.amazonaws.com", Type: "Service" },
    dynamodb: { SequenceNumber: "1", Keys: { PK: { S: "a" } } },
  };
  expect(readRecord(wire)).toMatchObject({ service: "dynamodb.amazonaws.com", before: null, at: 0 });
});
