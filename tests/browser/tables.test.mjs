// The tables screen against the real server: read by Query and Scan, inspect, edit, review, commit, conflict, undo.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { GetItemCommand, PutItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { accessibilityFaults, openBrowser, openPage, picture, startServer } from "./bench.mjs";

let server;
let browser;
before(async () => {
  [server, browser] = await Promise.all([startServer(), openBrowser()]);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const odd = { PK: { S: "a,b#c/日本語" }, SK: { S: "x,y" } };
const values = {
  exact: { N: "12345678901234567890123456789012345678" },
  numbers: { NS: ["1", "2.5"] },
  picture: { B: new Uint8Array([0, 1, 2, 255]) },
  note: { S: "before" },
};

async function stored(Key) {
  const { Item } = await server.sdk.send(new GetItemCommand({ TableName: "follow", Key, ConsistentRead: true }));
  return Item;
}

/** Opens the odd item in the inspector. */
async function openOdd(page) {
  const pk = encodeURIComponent(odd.PK.S);
  await page.goto(`${server.url}/c/local/tables/follow?pk=${pk}`);
  await page.getByRole("row", { name: /日本語/ }).click();
  await page.getByRole("complementary", { name: "Item" }).getByText("exact").waitFor();
}

async function editNote(page, text) {
  await page.getByRole("button", { name: "Edit note" }).click();
  await page.getByRole("textbox", { name: "note" }).fill(text);
  await page.getByRole("textbox", { name: "note" }).press("Enter");
  await page.getByText("1 staged change").waitFor();
}

test("an edit keeps every other value as it was, to the last digit", async () => {
  await server.sdk.send(new PutItemCommand({ TableName: "follow", Item: { ...odd, ...values } }));
  const { page, errors, close } = await openPage(browser);
  await openOdd(page);
  await editNote(page, "after 日本語");
  await page.getByRole("button", { name: "Commit" }).click();
  await page.getByText("1 change committed").waitFor();
  assert.deepEqual(await stored(odd), { ...odd, ...values, note: { S: "after 日本語" } });
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "Commit" }).click();
  await page.getByText("1 change committed").waitFor();
  assert.equal((await stored(odd)).note.S, "before");
  assert.deepEqual(errors, []);
  await close();
});

test("a 38-digit number is edited as text", async () => {
  const { page, close } = await openPage(browser);
  await openOdd(page);
  await page.getByRole("button", { name: "Edit exact" }).click();
  const input = page.getByRole("textbox", { name: "exact" });
  await input.fill("1234567890123456789012345678901234567890");
  await page.getByText("1 staged change").waitFor({ state: "detached" });
  await input.fill("123456789012345678901234567890123456789");
  await page.getByText("More than 38 significant digits.").waitFor();
  await input.fill("98765432109876543210987654321098765432");
  await input.press("Enter");
  await page.getByRole("button", { name: "Commit" }).click();
  await page.getByText("1 change committed").waitFor();
  assert.equal((await stored(odd)).exact.N, "98765432109876543210987654321098765432");
  await close();
});

test("a conflicting edit from elsewhere is refused, and what was typed stays", async () => {
  const { page, close } = await openPage(browser);
  await openOdd(page);
  await editNote(page, "mine");
  await server.sdk.send(
    new UpdateItemCommand({
      TableName: "follow",
      Key: odd,
      UpdateExpression: "SET note = :n",
      ExpressionAttributeValues: { ":n": { S: "theirs" } },
    }),
  );
  await page.getByRole("button", { name: "Commit" }).click();
  await page.getByRole("alert").getByText("TransactionCanceledException").waitFor();
  const row = page.getByRole("row", { name: /note/ }).last();
  assert.match(await row.innerText(), /before[^]*theirs[^]*mine/);
  await page.getByText("1 staged change").waitFor();
  assert.equal((await stored(odd)).note.S, "theirs");
  await close();
});

test("a table without a condition is a Scan in red, and the status bar counts it", async () => {
  const { page, close } = await openPage(browser);
  await page.goto(`${server.url}/c/local/tables/follow`);
  await page.getByRole("button", { name: "Scan", exact: true }).waitFor();
  await page.getByText("Scan on follow").waitFor();
  await page.getByText("1 Scan", { exact: true }).waitFor();
  await close();
});

test("an index is read by Query, downwards from its end, and holds few rows while scrolling", async () => {
  const { page, close } = await openPage(browser);
  await page.goto(`${server.url}/c/local/tables/follow?index=GSI1&pk=TARGET%23star`);
  await page.getByRole("row", { name: /fan0001/ }).waitFor();
  await picture(page, "tables-light");
  assert.deepEqual(await accessibilityFaults(page), []);
  const grid = page.getByRole("grid");
  for (let step = 0; step < 30; step += 1) {
    await grid.evaluate((pane) => pane.scrollBy(0, 2000));
    await page.waitForTimeout(40);
    assert.ok((await page.getByRole("row").count()) < 200);
  }
  await page.goto(`${server.url}/c/local/tables/follow?index=GSI1&pk=TARGET%23star&desc=1`);
  await page.getByRole("row", { name: /fan2500/ }).waitFor();
  await close();
});

test("a model shows its keys, both readings of its relation, and a proof for every read", async () => {
  const { page, errors, close } = await openPage(browser);
  await page.goto(`${server.url}/c/local/model/follow`);
  await page.getByRole("row", { name: /actor follows actor ACTOR#\{src\} TARGET#\{dst\}/ }).waitFor();
  await page.getByRole("row", { name: /is followed by · GSI1 TARGET#\{dst\} ACTOR#\{src\}/ }).waitFor();
  await page.getByRole("row", { name: /who follows an actor Query · GSI1/ }).waitFor();
  await picture(page, "model-light");
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole("button", { name: "TOML" }).click();
  await page.getByText("[[relation]]").or(page.getByText("relation")).first().waitFor();
  assert.deepEqual(errors, []);
  await close();
});
