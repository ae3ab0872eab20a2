// Programs as the expression builder prints them, run against a server: each must find what its request finds.
// The programs are those of crates/codegen/tests/golden; the requests, in the order in which they are run, are beside them.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";

const golden = new URL("../../crates/codegen/tests/", import.meta.url);
const read = (file) => readFile(new URL(file, golden), "utf8");
const requests = JSON.parse(await read("requests.json"));
const things = JSON.parse(await read("tables.json"))[1];

async function programs(language) {
  const parts = (await read(`golden/${language}.txt`)).split("=== ").slice(1);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n") + 1)]));
}

async function serve() {
  const server = spawn(process.env.BOTHWAYS, ["serve", "--memory", "--sample", "--port", "0"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = await once(createInterface({ input: server.stdout }), "line");
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: line.match(/http:\S+/)[0],
    AWS_REGION: "eu-west-2",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
  });
  const client = new DynamoDBClient({});
  await client.send(new CreateTableCommand(things));
  await waitUntilTableExists({ client, minDelay: 0.05, maxWaitTime: 10 }, { TableName: "things" });
  client.destroy();
  return async () => {
    server.kill();
    await once(server, "exit");
  };
}

// What an item is, whatever form it was printed in: DynamoDB JSON, bytes as Base64, sets in order.
function settled(value) {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map(settled);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value);
  if (entries.length > 0 && entries.every(([name, byte]) => /^\d+$/.test(name) && typeof byte === "number")) {
    return Buffer.from(Object.values(value)).toString("base64");
  }
  if (value.type === "Buffer") return Buffer.from(value.data).toString("base64");
  const sorted = entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, one]) => [name, ["SS", "NS", "BS"].includes(name) ? settled(one).sort() : settled(one)]);
  return Object.fromEntries(sorted);
}

function line(printed) {
  if (typeof printed === "number") return String(printed);
  const item = settled(typeof printed === "string" ? JSON.parse(printed) : marshall(printed));
  delete item.opId; // drawn at random
  return JSON.stringify(item);
}

// The programs of a language in order; where it has refused one, the plain client's runs unseen instead.
async function runAll(language) {
  const [listing, plain] = [await programs(language), await programs("javascript")];
  const stop = await serve();
  const folder = await mkdtemp(fileURLToPath(new URL("programs-", import.meta.url)));
  const answers = new Map();
  const print = console.log;
  try {
    for (const { name } of requests) {
      const refused = listing.get(name).startsWith("refused: ");
      const file = `${folder}/${name}.mjs`;
      await writeFile(file, refused ? plain.get(name) : listing.get(name));
      const printed = [];
      console.log = (what) => printed.push(what);
      try {
        await import(pathToFileURL(file));
      } finally {
        console.log = print;
      }
      if (!refused) answers.set(name, printed.map(line).sort());
    }
  } finally {
    await rm(folder, { recursive: true });
    await stop();
  }
  return answers;
}

let plainAnswers;
const plain = () => (plainAnswers ??= runAll("javascript"));

test("the plain client's programs find everything", async () => {
  const answers = await plain();
  assert.equal(answers.size, requests.length);
  assert.ok(answers.size >= 60);
  assert.equal(answers.get("query-star").length, 2500);
  assert.deepEqual(answers.get("query-count"), ["2500"]);
  assert.match(answers.get("get-38-digits")[0], /12345678901234567890123456789012345678/);
});

for (const [language, least] of [
  ["document-client", 55],
  ["dynamodb-toolbox", 8],
  ["electrodb", 25],
]) {
  test(`the programs of ${language} find what the plain client's find`, async () => {
    const [expected, answers] = [await plain(), await runAll(language)];
    assert.ok(answers.size >= least, `${answers.size} programs`);
    for (const [name, answer] of answers) assert.deepEqual(answer, expected.get(name), name);
  });
}
