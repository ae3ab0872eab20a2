// The model screen and the checks against the real server: form and text as one document, new models, the sheet.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DescribeTableCommand, GetItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { accessibilityFaults, openBrowser, openPage, picture, pictures, startServer } from "./bench.mjs";

let server;
let browser;
before(async () => {
  [server, browser] = await Promise.all([startServer(), openBrowser()]);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

async function sound({ page, errors, layoutShift }) {
  assert.deepEqual(await accessibilityFaults(page), []);
  assert.deepEqual(await layoutShift(), []);
  assert.deepEqual(errors, []);
}

test("a model is its reads, its keys and the proof of every read; form and text are one document", async () => {
  const bench = await openPage(browser);
  const { page, close } = bench;
  await page.goto(`${server.url}/c/local/model/follow`);
  await page.getByRole("row", { name: /who follows an actor Query · GSI1/ }).waitFor();
  await sound(bench);
  await pictures(page, "model");

  // The form writes into the text.
  await page.getByRole("textbox", { name: "follows Sort key", exact: true }).fill("FOLLOWS#{dst}");
  await page.getByRole("button", { name: "TOML" }).click();
  const text = page.getByRole("textbox", { name: "The model as TOML" });
  assert.match(await text.inputValue(), /sk = "FOLLOWS#\{dst\}"/);
  // The text writes into the form, and what is wrong stands where it is.
  await text.fill((await text.inputValue()).replace("FOLLOWS#{dst}", "FOLLOWS#{dts}"));
  await page.getByText("there is no slot {dts}").first().waitFor();
  await page.getByRole("button", { name: /^Line \d+$/ }).waitFor();
  await sound(bench);
  await picture(page, "model-fault-light");
  await text.fill((await text.inputValue()).replace("{dts}", "{dst}"));
  await page.getByText("there is no slot {dts}").first().waitFor({ state: "detached" });
  // What is not kept survives a reload.
  await page.reload();
  const key = page.getByRole("textbox", { name: "follows Sort key", exact: true });
  await key.waitFor();
  assert.equal(await key.inputValue(), "FOLLOWS#{dst}");
  await close();
});

test("two pages that keep one model: the second is refused, sees the difference, and decides", async () => {
  const [first, second] = [await openPage(browser), await openPage(browser)];
  const label = (page) => page.getByRole("textbox", { name: "follows in", exact: true });
  const keep = (page) => page.getByRole("button", { name: "Keep", exact: true });
  const kept = async () => (await (await fetch(`${server.url}/api/v1/c/local/models/follow`)).json()).toml;
  for (const { page } of [first, second]) {
    await page.goto(`${server.url}/c/local/model/follow`);
    await page.getByRole("row", { name: /who follows an actor Query · GSI1/ }).waitFor();
    // The form reads what stands in the text; each attribute of a key is named.
    assert.ok((await page.getByRole("region", { name: "Keys" }).getByText("GSI1PK", { exact: true }).count()) > 0);
  }
  await label(first.page).fill("is watched by");
  await label(second.page).fill("has as follower");
  await keep(first.page).click();
  await keep(first.page).waitFor({ state: "detached" });
  await keep(second.page).click();
  const refusal = second.page.getByRole("alert");
  await refusal.getByText("Another page has kept this model meanwhile.").waitFor();
  assert.match(await refusal.innerText(), /there now\s+in = "is watched by"\s+yours\s+in = "has as follower"/);
  assert.match(await kept(), /is watched by/);
  await sound(second);
  await picture(second.page, "model-overtaken-light");
  // What is refused survives a reload, with the difference.
  await second.page.reload();
  await refusal.getByRole("button", { name: "Keep mine over it" }).click();
  await refusal.waitFor({ state: "detached" });
  assert.match(await kept(), /has as follower/);
  // And the other way on: the first page, that was overtaken itself now, takes what is there.
  await label(first.page).fill("is seen by");
  await keep(first.page).click();
  await first.page.getByRole("button", { name: "Take what is there now" }).click();
  await first.page.waitForFunction(() => document.querySelector('input[aria-label="follows in"]').value === "has as follower");
  assert.match(await kept(), /has as follower/);
  await label(first.page).fill("is followed by");
  await keep(first.page).click();
  await keep(first.page).waitFor({ state: "detached" });
  await Promise.all([first.close(), second.close()]);
});

test("a new model comes from what somebody wants to know, is kept, and makes its table", async () => {
  const bench = await openPage(browser);
  const { page, close } = bench;
  await page.goto(`${server.url}/c/local/model`);
  await page.getByRole("textbox", { name: "Name" }).fill("clubs");
  await page.getByRole("textbox", { name: "From", exact: true }).fill("member");
  await page.getByRole("textbox", { name: "Relation, read from it" }).fill("belongs to");
  await page.getByRole("textbox", { name: "To", exact: true }).fill("club");
  await page.getByRole("textbox", { name: "The same, read back" }).fill("has as member");
  await sound(bench);
  await picture(page, "model-new-light");
  await page.getByRole("button", { name: "Design the keys" }).click();
  await page.getByRole("row", { name: /one club has as member Query · GSI1/ }).waitFor();
  await page.getByRole("button", { name: "Keep" }).click();
  await page.getByRole("button", { name: "Create its table" }).click();
  await page.getByText("Created.").waitFor();
  // The table is there now: to make it again is not offered.
  await page.getByRole("button", { name: "Compare with its table" }).click();
  await page.getByText("Unchanged: the table is there and fits.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Create its table" }).count(), 0);
  const { Table } = await server.sdk.send(new DescribeTableCommand({ TableName: "clubs" }));
  assert.equal(Table.GlobalSecondaryIndexes[0].IndexName, "GSI1");
  await close();
});

test("a model is inferred from a table, each proposal with what it rests on", async () => {
  const bench = await openPage(browser);
  const { page, close } = bench;
  await page.goto(`${server.url}/c/local/model?from=school`);
  await page.getByRole("button", { name: "Infer" }).click();
  await page.getByText(/stand in GSI1: CRS#\{dst\} STU#\{src\}/).waitFor();
  await page.getByText("assumed").first().waitFor();
  await sound(bench);
  await picture(page, "model-inferred-light");
  await page.getByRole("button", { name: "Open the model" }).click();
  await page.getByRole("heading", { name: "Proof" }).waitFor();
  await close();
});

test("the sheet shows the server's verdict on every read, with its items and its cost, and each row leads to it", async () => {
  const bench = await openPage(browser);
  const { page, close } = bench;
  await page.goto(`${server.url}/c/local/checks/school`);
  // What it would cost is there before anything is sent.
  await page.getByRole("button", { name: /^Run all: about \d+(\.5)? RCU$/ }).waitFor();
  const before = await page.getByRole("row", { name: /a course's roster/ }).innerText();
  assert.match(before, /\d RCU/);
  await page.getByText("0 RCU", { exact: false }).first().waitFor();
  await page.getByRole("button", { name: "Run all" }).click();
  const roster = page.getByRole("row", { name: /pass a course's roster/ });
  await roster.waitFor();
  assert.match(await roster.innerText(), /Query on GSI1 · eventual\s+GSI1PK = CRS#math204.*\s1\s+0\.5 RCU\s+0\.5 RCU/s);
  await page.getByText(/^\d of \d as proved$/).waitFor();
  assert.equal(await page.getByText("fails").count(), 0);
  await sound(bench);
  await pictures(page, "checks");
  // Other ends: what is read with them is in the address.
  await page.getByRole("textbox", { name: "Source" }).fill("s0001");
  assert.ok(await page.getByRole("button", { name: "Run all" }).isDisabled());
  await page.getByRole("textbox", { name: "Target" }).fill("phys101");
  await page.getByRole("button", { name: "Run all" }).click();
  await roster.getByText("CRS#phys101").waitFor();
  await page.waitForURL(/s=s0001&t=phys101/);
  await roster.getByRole("link", { name: "Open the read" }).click();
  await page.getByRole("row", { name: /STU#s0001/ }).waitFor();
  await close();
});

test("a verdict that the server does not give is nowhere made up: what differs is shown in its words", async () => {
  const bench = await openPage(browser);
  const { page, close } = bench;
  await page.route("**/models/follow/patterns/**", async (route) => {
    const answer = await (await route.fetch()).json();
    const differs = answer.name === "who follows an actor";
    const differences = differs ? ["9 read units were used where 0.5 were planned"] : [];
    return route.fulfill({ json: { ...answer, pass: !differs, differences } });
  });
  await page.goto(`${server.url}/c/local/checks/follow`);
  await page.getByRole("button", { name: "Run all" }).click();
  const row = page.getByRole("row", { name: /fails who follows an actor/ });
  await row.getByText("9 read units were used where 0.5 were planned").waitFor();
  await page.getByText("5 of 6 as proved").waitFor();
  await sound(bench);
  await close();
});

test("a counter that drifted is found, leads to its item, and is mended", async () => {
  const Key = { PK: { S: "ACTOR#alice" }, SK: { S: "PROFILE" } };
  await server.sdk.send(
    new UpdateItemCommand({
      TableName: "follow",
      Key,
      UpdateExpression: "SET following = :n",
      ExpressionAttributeValues: { ":n": { N: "7" } },
    }),
  );
  const bench = await openPage(browser);
  const { page, close } = bench;
  page.setDefaultTimeout(60_000);
  await page.goto(`${server.url}/c/local/checks/follow?tab=counters`);
  await page.getByRole("button", { name: "Compare counters with edges" }).click();
  const drift = page.getByRole("row", { name: /PK = ACTOR#alice, SK = PROFILE/ });
  await drift.waitFor();
  await sound(bench);
  await picture(page, "checks-counters-light");
  await page.getByRole("button", { name: "Mend them" }).click();
  await drift.getByText("mended").waitFor();
  const { Item } = await server.sdk.send(new GetItemCommand({ TableName: "follow", Key, ConsistentRead: true }));
  assert.equal(Item.following.N, "2");
  await drift.getByRole("link", { name: "Open the item" }).click();
  await page.getByRole("complementary", { name: "Item" }).getByText("following", { exact: true }).waitFor();
  await close();
});

test("the doctor reads no item before it is asked to, and says what that would cost", async () => {
  const bench = await openPage(browser, { colorScheme: "dark" });
  const { page, close } = bench;
  const scans = [];
  page.on("request", (request) => request.url().includes("/doctor") && scans.push(new URL(request.url()).search));
  await page.goto(`${server.url}/c/local/checks/school?tab=pitfalls`);
  // Opening reads no item; what reading some would cost is said before.
  await page.getByText("no item was read").waitFor();
  await page.getByText(/the table has about 5,00\d items, so it reads about \d+(\.5)? RCU/).waitFor();
  await page.getByText("0 Scans").waitFor();
  await page.getByRole("button", { name: "Look at up to 2,000 items" }).click();
  await page.getByText("2,000 items looked at").waitFor();
  await page.getByText(/^[12] Scans?$/).waitFor();
  assert.deepEqual(scans, ["?items=0", "?items=2000"]);
  await sound(bench);
  await picture(page, "checks-pitfalls-dark");
  await page.goto(`${server.url}/c/local/model/school`);
  await page.getByRole("heading", { name: "Proof" }).waitFor();
  await sound(bench);
  await picture(page, "model-school-dark");
  await close();
});
