import { describe, expect, it } from "vitest";
import { actionsOf, resolve, tokenOf } from "./resolve";

describe("placeholders", () => {
  it.each([
    ["attribute_not_exists(#pk)", "attribute_not_exists(PK)"],
    ["ADD #c :one", "ADD following 1"],
    ["SET #a = :absent", "SET #a = :absent"],
  ])("%s reads %s", (expression, words) =>
    expect(resolve(expression, { "#pk": "PK", "#c": "following" }, { ":one": { N: "1" } })).toBe(words),
  );
});

describe("a transaction in words", () => {
  const put = {
    Item: { PK: { S: "A" }, SK: { S: "B" }, x: { N: "1" } },
    ConditionExpression: "attribute_not_exists(#pk)",
    ExpressionAttributeNames: { "#pk": "PK" },
  };
  const update = {
    Key: { PK: { S: "A" }, SK: { S: "PROFILE" } },
    UpdateExpression: "ADD n :one",
    ExpressionAttributeValues: { ":one": { N: "1" } },
  };
  it("names each action's key, change and condition", () =>
    expect(actionsOf({ TransactItems: [{ Put: put }, { Update: update }] }, ["PK", "SK"])).toEqual([
      { kind: "Put", key: "A · B", change: null, condition: "attribute_not_exists(PK)" },
      { kind: "Update", key: "A · PROFILE", change: "ADD n 1", condition: null },
    ]));
  it("reads a single write as one action", () =>
    expect(actionsOf(update, ["PK", "SK"])).toEqual([
      { kind: "Update", key: "A · PROFILE", change: "ADD n 1", condition: null },
    ]));
  it("finds the token", () => expect(tokenOf({ ClientRequestToken: "t" })).toBe("t"));
});
