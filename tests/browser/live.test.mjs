// Live: what an application sends is seen as it comes, filtered, paused, read, and opened in Build.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, test } from "node:test";
import { GetItemCommand, PutItemCommand, QueryCommand, TransactWriteItemsCommand } from "@aws-sdk/client-dynamodb";
import { accessibilityFaults, clipped, openAt, openBrowser, openPage, picture, pictures, startServer, well } from "./bench.mjs";

let server;
let browser;
before(async () => {
  [server, browser] = await Promise.all([startServer(), openBrowser()]);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const list = (page) => page.getByRole("listbox", { name: "Requests, the newest first" });
const row = (page, name) => list(page).getByRole("option", { name });
/** Waits for the first answer and leaves none of the earlier tests' requests in the list. */
const fresh = async (page) => {
  await page.getByText("Nothing has come yet").or(list(page)).first().waitFor();
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByText("Nothing has come yet").waitFor();
};
const S = (text) => ({ S: text });
const send = {
  get: () => server.sdk.send(new GetItemCommand({ TableName: "follow", Key: { PK: S("ACTOR#alice"), SK: S("TARGET#bob") } })),
  query: (who = "bob") =>
    server.sdk.send(
      new QueryCommand({
        TableName: "follow",
        IndexName: "GSI1",
        KeyConditionExpression: "#p = :p AND begins_with(GSI1SK, :s)",
        ExpressionAttributeNames: { "#p": "GSI1PK" },
        ExpressionAttributeValues: { ":p": S(`TARGET#${who}`), ":s": S("ACTOR#") },
      }),
    ),
  refused: () =>
    server.sdk
      .send(
        new PutItemCommand({
          TableName: "follow",
          Item: { PK: S("ACTOR#alice"), SK: S("TARGET#bob") },
          ConditionExpression: "attribute_not_exists(PK)",
        }),
      )
      .catch((error) => error),
  transact: () =>
    server.sdk.send(
      new TransactWriteItemsCommand({
        TransactItems: [
          { Put: { TableName: "follow", Item: { PK: S("ACTOR#zoe"), SK: S("TARGET#bob"), note: S("hello") } } },
          {
            Update: {
              TableName: "follow",
              Key: { PK: S("ACTOR#zoe"), SK: S("META") },
              UpdateExpression: "ADD following :one",
              ExpressionAttributeValues: { ":one": { N: "1" } },
            },
          },
        ],
      }),
    ),
};

const open = (path = "/c/local/live", settings = {}) => openAt(browser, `${server.url}${path}`, settings);

test("an empty screen says how to make requests come, and they come with their key, cost and time", async () => {
  const opened = await open();
  const { page } = opened;
  await page.getByText("Nothing has come yet").waitFor();
  const command = await page.getByText(`curl -s ${server.url}`).innerText();
  assert.deepEqual(await accessibilityFaults(page), []);
  await picture(page, "live-empty");
  // The command does what it is there for, as it stands.
  const answer = execFileSync("sh", ["-c", command], { encoding: "utf8", timeout: 10_000 });
  assert.ok(JSON.parse(answer).TableNames.includes("follow"));
  await row(page, /ListTables/).waitFor();
  await send.query();
  await row(page, /Query.*follow · GSI1.*GSI1PK = TARGET#bob.*0\.5 RCU.*ms/).waitFor();
  await send.get();
  await row(page, /GetItem.*PK = ACTOR#alice, SK = TARGET#bob.*0\.5 RCU/).waitFor();
  assert.match(await list(page).getByRole("option").first().innerText(), /GetItem/);
  await well(opened);
});

test("requests are filtered by table, operation, error and words, and the address holds the filter", async () => {
  const opened = await open();
  const { page } = opened;
  await fresh(page);
  await send.refused();
  await send.query("carol");
  await row(page, /PutItem.*ConditionalCheckFailedException/).first().waitFor();
  await row(page, /carol/).first().waitFor();
  await page.getByLabel("Errors only").check();
  await row(page, /Query/).first().waitFor({ state: "detached" });
  await row(page, /PutItem/).first().waitFor();
  await page.getByLabel("Errors only").uncheck();
  await page.getByRole("searchbox", { name: "Find" }).fill("carol");
  await row(page, /PutItem/).first().waitFor({ state: "detached" });
  await page.getByLabel("Operation").selectOption("PutItem");
  await page.getByText("No request passes the filter.").waitFor();
  assert.match(page.url(), /op=PutItem.*find=carol|find=carol.*op=PutItem/);
  await page.getByRole("button", { name: "Show all" }).click();
  await row(page, /PutItem/).first().waitFor();
  await well(opened);
});

test("paused, the list stands still and counts; resumed, it has them all", async () => {
  const opened = await open();
  const { page } = opened;
  await fresh(page);
  await send.get();
  await row(page, /GetItem/).first().waitFor();
  await page.keyboard.press("p");
  await page.getByRole("button", { name: "Resume" }).waitFor();
  const before = await list(page).getByRole("option").count();
  await send.transact();
  await send.get();
  await page.getByRole("button", { name: /Resume\s*2 new/ }).waitFor();
  assert.equal(await list(page).getByRole("option").count(), before);
  await page.getByRole("button", { name: /Resume/ }).click();
  await row(page, /TransactWriteItems.*follow.*WCU/).first().waitFor();
  assert.equal(await list(page).getByRole("option").count(), before + 2);
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByText("Nothing has come yet").waitFor();
  await well(opened);
});

test("one request is read in words, as JSON, and opened in Build, by keys alone", async () => {
  const opened = await open();
  const { page } = opened;
  await fresh(page);
  await send.query();
  await row(page, /Query.*TARGET#bob/).first().waitFor();
  await list(page).focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  const detail = page.getByRole("region", { name: /^Request \d+/ });
  await detail.getByText("GSI1PK = TARGET#bob AND begins_with(GSI1SK, ACTOR#)", { exact: true }).waitFor();
  await detail.getByText(/Reads bob's followers from GSI1/).waitFor();
  await detail.getByText("0.5 RCU", { exact: true }).waitFor();
  await detail.getByText("2 items").waitFor();
  await page.locator("main footer", { hasText: "0.5 RCU" }).waitFor();
  assert.match(page.url(), /open=\d+/);
  await pictures(page, "live");
  assert.deepEqual(await accessibilityFaults(page), []);
  await detail.getByRole("button", { name: "As JSON" }).click();
  await detail.getByText('"KeyConditionExpression": "#p = :p AND').waitFor();
  const said = await detail.innerText();
  assert.doesNotMatch(said, /AWS4|Credential|secret/i);
  await detail.getByRole("link", { name: "Open in Build" }).click();
  await page.getByRole("button", { name: "Send Query" }).waitFor();
  await page.goBack();
  await detail.getByText("GSI1PK = TARGET#bob AND begins_with(GSI1SK, ACTOR#)", { exact: true }).waitFor();
  await detail.getByRole("button", { name: "Close" }).focus();
  await page.keyboard.press("Escape");
  await detail.waitFor({ state: "detached" });
  await well(opened);
});

test("a transaction's actions are read one by one, and a refusal in DynamoDB's words", async () => {
  const opened = await open("/c/local/live", { theme: "dark" });
  const { page } = opened;
  await fresh(page);
  await send.transact();
  await send.refused();
  const detail = page.getByRole("region", { name: /^Request \d+/ });
  await row(page, /TransactWriteItems/).first().click();
  await detail.getByText("2 Update").waitFor();
  await detail.getByText("ADD following 1", { exact: true }).waitFor();
  await picture(page, "live-transaction");
  assert.deepEqual(await accessibilityFaults(page), []);
  await row(page, /PutItem/).first().click();
  await detail.getByText("The conditional request failed").waitFor();
  await well(opened);
});

test("a place elsewhere has no Live, and a request that is gone says so", async () => {
  const opened = await openPage(browser);
  const { page } = opened;
  await page.route("**/api/v1/connections", async (route) => {
    const all = await (await route.fetch()).json();
    return route.fulfill({ json: all.map((c) => ({ ...c, offers: [] })) });
  });
  await page.goto(`${server.url}/c/local/live`);
  await page.getByText("Live shows what is sent to the server itself.").waitFor();
  assert.equal(await page.getByRole("link", { name: "Live" }).count(), 0);
  await page.unroute("**/api/v1/connections");
  await page.goto(`${server.url}/c/local/live?open=99999`);
  await page.getByRole("alert").getByText("only the latest requests are kept").waitFor();
  await well(opened);
});

for (const locale of ["es", "ja", "zh-Hant", "en-XA"])
  test(`in ${locale} nothing is cut off and nothing overflows`, async () => {
    const opened = await open("/c/local/live", { locale });
    const { page } = opened;
    await send.get();
    await page.locator("[role=listbox] [role=option]").first().waitFor();
    assert.deepEqual(await clipped(page), []);
    await page.locator("[role=listbox] [role=option]").first().click();
    await page.getByRole("region").getByText("ACTOR#alice").first().waitFor();
    assert.deepEqual(await clipped(page), []);
    await page.setViewportSize({ width: 390, height: 800 });
    await well(opened);
  });
