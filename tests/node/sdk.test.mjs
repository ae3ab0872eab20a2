// The AWS SDK for JavaScript, both its client and its document client: the main job in its short form.
// BOTHWAYS_ENDPOINT names the server.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  ConditionalCheckFailedException,
  CreateTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  TransactionCanceledException,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
  paginateQuery,
} from "@aws-sdk/lib-dynamodb";

const TableName = `js-${process.pid}`;
const client = new DynamoDBClient({
  endpoint: process.env.BOTHWAYS_ENDPOINT,
  region: "eu-west-2",
  credentials: { accessKeyId: "local", secretAccessKey: "local" },
  maxAttempts: 1,
});
const documents = DynamoDBDocumentClient.from(client);

before(async () => {
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: ["PK", "SK", "GSI1PK", "GSI1SK"].map((AttributeName) => ({
        AttributeName,
        AttributeType: "S",
      })),
      KeySchema: [
        { AttributeName: "PK", KeyType: "HASH" },
        { AttributeName: "SK", KeyType: "RANGE" },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: "GSI1",
          KeySchema: [
            { AttributeName: "GSI1PK", KeyType: "HASH" },
            { AttributeName: "GSI1SK", KeyType: "RANGE" },
          ],
          Projection: { ProjectionType: "ALL" },
        },
      ],
    }),
  );
  await waitUntilTableExists({ client, minDelay: 1, maxWaitTime: 20 }, { TableName });
});

after(() => client.destroy());

const edge = (source, target) => ({
  PK: `ACTOR#${source}`,
  SK: `TARGET#${target}`,
  GSI1PK: `TARGET#${target}`,
  GSI1SK: `ACTOR#${source}`,
  createdAt: 1718900000,
});

const count = (actor, counter, by) => ({
  Update: {
    TableName,
    Key: { PK: `ACTOR#${actor}`, SK: "PROFILE" },
    UpdateExpression: "ADD #c :by",
    ExpressionAttributeNames: { "#c": counter },
    ExpressionAttributeValues: { ":by": by },
  },
});

const follow = (source, target) =>
  documents.send(
    new TransactWriteCommand({
      TransactItems: [
        {
          Put: {
            TableName,
            Item: edge(source, target),
            ConditionExpression: "attribute_not_exists(PK)",
          },
        },
        count(source, "following", 1),
        count(target, "followers", 1),
      ],
    }),
  );

async function list(index, key, value) {
  const found = [];
  const pages = paginateQuery(
    { client: documents, pageSize: 2 },
    {
      TableName,
      IndexName: index,
      KeyConditionExpression: "#k = :v",
      FilterExpression: "attribute_exists(createdAt)",
      ExpressionAttributeNames: { "#k": key },
      ExpressionAttributeValues: { ":v": value },
    },
  );
  for await (const page of pages) found.push(...page.Items);
  return found;
}

test("an edge is followed, read both ways, refused twice and taken back", async () => {
  await follow("alice", "bob");
  await follow("alice", "carol");
  await follow("dave", "bob");
  const out = await list(undefined, "PK", "ACTOR#alice");
  assert.deepEqual(out.map((i) => i.SK), ["TARGET#bob", "TARGET#carol"]);
  const into = await list("GSI1", "GSI1PK", "TARGET#bob");
  assert.deepEqual(into.map((i) => i.PK), ["ACTOR#alice", "ACTOR#dave"]);

  await assert.rejects(follow("alice", "bob"), (error) => {
    assert.ok(error instanceof TransactionCanceledException);
    const codes = error.CancellationReasons.map((r) => r.Code);
    assert.deepEqual(codes, ["ConditionalCheckFailed", "None", "None"]);
    return true;
  });
  const profile = await documents.send(
    new GetCommand({ TableName, Key: { PK: "ACTOR#bob", SK: "PROFILE" } }),
  );
  assert.equal(profile.Item.followers, 2);

  const { PK, SK } = edge("alice", "bob");
  await documents.send(new DeleteCommand({ TableName, Key: { PK, SK } }));
  assert.deepEqual((await list("GSI1", "GSI1PK", "TARGET#bob")).map((i) => i.PK), ["ACTOR#dave"]);
});

test("documents keep their types", async () => {
  const item = {
    PK: "types",
    SK: "1",
    text: "☃",
    number: -1.5,
    bytes: new Uint8Array([0, 1, 255]),
    yes: true,
    nothing: null,
    list: [1, "two", [3]],
    map: { deep: { er: {} } },
    strings: new Set(["a", "b"]),
    numbers: new Set([1, 2]),
  };
  await documents.send(new PutCommand({ TableName, Item: item }));
  const { Item } = await documents.send(new GetCommand({ TableName, Key: { PK: "types", SK: "1" } }));
  assert.deepEqual({ ...Item, bytes: [...Item.bytes] }, { ...item, bytes: [0, 1, 255] });
  const updated = await documents.send(
    new UpdateCommand({
      TableName,
      Key: { PK: "types", SK: "1" },
      UpdateExpression: "SET #m.deep.er = :v REMOVE #l[0]",
      ExpressionAttributeNames: { "#m": "map", "#l": "list" },
      ExpressionAttributeValues: { ":v": 7 },
      ReturnValues: "UPDATED_NEW",
    }),
  );
  assert.deepEqual(updated.Attributes.map, { deep: { er: 7 } });
});

test("the plain client sees numbers as text and errors as classes", async () => {
  const Key = { PK: { S: "plain" }, SK: { S: "1" } };
  const put = new PutItemCommand({
    TableName,
    Item: { ...Key, n: { N: "1.50" } },
    ConditionExpression: "attribute_not_exists(PK)",
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  });
  await client.send(put);
  const got = await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
  assert.deepEqual(got.Item.n, { N: "1.5" });
  await assert.rejects(client.send(put), (error) => {
    assert.ok(error instanceof ConditionalCheckFailedException);
    assert.equal(error.message, "The conditional request failed");
    assert.deepEqual(error.Item.n, { N: "1.5" });
    assert.equal(error.$metadata.requestId.length, 52);
    return true;
  });
  await assert.rejects(
    client.send(new TransactWriteItemsCommand({ TransactItems: [] })),
    { name: "ValidationException" },
  );
  const counted = await client.send(
    new QueryCommand({
      TableName,
      Select: "COUNT",
      KeyConditionExpression: "PK = :p",
      ExpressionAttributeValues: { ":p": Key.PK },
      ReturnConsumedCapacity: "TOTAL",
    }),
  );
  assert.deepEqual([counted.Count, counted.ConsumedCapacity.CapacityUnits], [1, 0.5]);
});
