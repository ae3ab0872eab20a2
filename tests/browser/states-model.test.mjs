// Model, Checks and Build when things are not well: conflict, throttle, expired credentials, cancel, empty, a 1 MB page.
// After each, nothing has moved by itself, no word is cut, and axe finds nothing.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  BatchWriteItemCommand,
  CreateTableCommand,
  GetItemCommand,
  PutItemCommand,
} from "@aws-sdk/client-dynamodb";
import { accessibilityFaults, onScreen, openBrowser, refuse, startServer } from "./bench.mjs";

let server;
let browser;
before(async () => {
  [server, browser] = await Promise.all([startServer(), openBrowser()]);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const on = onScreen(() => ({ server, browser }));
const THROTTLED = "ProvisionedThroughputExceededException";
const alert = (page) => page.getByRole("alert");
const bar = (page) => page.getByRole("status").filter({ hasText: "The credentials are no longer good" });

/** Holds the answers of an address back until `release`. */
async function held(page, address) {
  let release;
  const gate = new Promise((resolve) => (release = resolve));
  await page.route(address, async (route) => {
    await gate;
    return route.continue().catch(() => undefined);
  });
  return release;
}

/** Makes a table of a hash and a range key. */
const table = (TableName) =>
  server.sdk.send(
    new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: ["PK", "SK"].map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
      KeySchema: [
        { AttributeName: "PK", KeyType: "HASH" },
        { AttributeName: "SK", KeyType: "RANGE" },
      ],
    }),
  );

/** Puts 40 edges of 60 KB each to one target: more than two pages of 1 MB. */
async function heavy(target, into = "follow") {
  const note = { S: "x".repeat(60_000) };
  const puts = Array.from({ length: 40 }, (_, i) => {
    const from = { S: `ACTOR#${target}${String(i).padStart(2, "0")}` };
    const to = { S: `TARGET#${target}` };
    return { PutRequest: { Item: { PK: from, SK: to, GSI1PK: to, GSI1SK: from, note } } };
  });
  for (let at = 0; at < puts.length; at += 20)
    await server.sdk.send(new BatchWriteItemCommand({ RequestItems: { [into]: puts.slice(at, at + 20) } }));
}

// Model.

test("Model, conflict: a table that is not as the model says is left alone, and the differences are read", async () => {
  const toml = (await (await fetch(`${server.url}/api/v1/c/local/models/follow`)).json()).toml;
  const other = toml.replaceAll('"follow"', '"clash"');
  await table("clash");
  await fetch(`${server.url}/api/v1/c/local/models/clash`, {
    method: "PUT",
    headers: { "content-type": "application/json", origin: server.url },
    body: JSON.stringify({ toml: other }),
  });
  await on("/c/local/model/clash", async (page, go) => {
    await go();
    await page.getByRole("button", { name: "Compare with its table" }).click();
    await page.getByText("The table is not as the model says; nothing was changed.").waitFor();
    await page.getByText(/GSI1.*the table has none/).first().waitFor();
  });
});

test("Model, throttle: what is refused says what to do, stays as it was typed, and is sent again on request", () =>
  on("/c/local/model/follow", async (page, go) => {
    await go();
    const key = page.getByRole("textbox", { name: "follows Sort key", exact: true });
    await key.waitFor();
    await page.route("**/c/local/check", (route) => refuse(route, THROTTLED));
    await key.fill("PEER#{dst}");
    await alert(page).getByText("Wait a moment").waitFor();
    assert.equal(await key.inputValue(), "PEER#{dst}");
    await page.unroute("**/c/local/check");
    await alert(page).getByRole("button", { name: "Retry" }).click();
    await alert(page).waitFor({ state: "detached" });
    await page.getByText("PEER#{dst}", { exact: false }).first().waitFor();
    await page.getByRole("button", { name: "Keep" }).waitFor();
  }));

test("Model, expired credentials: a bar on top, and the draft is there after them", () =>
  on("/c/local/model/follow", async (page, go) => {
    await go();
    const key = page.getByRole("textbox", { name: "follows Sort key", exact: true });
    await key.waitFor();
    await page.route("**/api/v1/c/**", (route) => refuse(route, "ExpiredTokenException"));
    await key.fill("PEER#{dst}");
    await bar(page).waitFor();
    assert.equal(await key.inputValue(), "PEER#{dst}");
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.unroute("**/api/v1/c/**");
    await alert(page).getByRole("button", { name: "Retry" }).click();
    await bar(page).waitFor({ state: "detached" });
    await page.reload();
    await key.waitFor();
    assert.equal(await key.inputValue(), "PEER#{dst}");
  }));

test("Model, cancel: a slow look at a table shows the time, is stopped, and can be asked for again", () =>
  on("/c/local/model?from=school", async (page, go) => {
    const release = await held(page, "**/c/local/infer");
    await go();
    await page.getByRole("button", { name: "Infer" }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Cancel" }).waitFor({ state: "detached" });
    release();
    await page.getByRole("button", { name: "Infer" }).click();
    await page.getByRole("button", { name: "Open the model" }).waitFor();
  }));

test("Model, empty: a table with nothing in it gives a proposal that says that it is assumed", async () => {
  await table("bare");
  await on("/c/local/model?from=bare", async (page, go) => {
    await go();
    await page.getByRole("button", { name: "Infer" }).click();
    await page.getByText("0 items read, all there are.").waitFor();
    await page.getByText("0 of 0 read").last().waitFor();
  });
});

test("Model, a 1 MB page: a sample goes over several, and says how many items it read", async () => {
  await table("bulky");
  await heavy("bulky", "bulky");
  await on("/c/local/model?from=bulky", async (page, go) => {
    await go();
    await page.getByRole("button", { name: "Infer" }).click();
    await page.getByText("40 items read, all there are.").waitFor();
  });
});

// Checks.

test("Checks, conflict: a verification that another took up is named, and can be tried again", () =>
  on("/c/local/checks/follow?tab=counters", async (page, go) => {
    await page.route("**/models/follow/verify", (route) =>
      route.fulfill({ status: 409, json: { code: "JobTaken", message: "somebody else took the verification up" } }),
    );
    await go();
    await page.getByRole("button", { name: "Compare counters with edges" }).click();
    await alert(page).getByText("somebody else took the verification up").waitFor();
    await page.unroute("**/models/follow/verify");
    page.setDefaultTimeout(60_000);
    await alert(page).getByRole("button", { name: "Retry" }).click();
    await page.getByText(/ equal their |\d+ things? (is|are) wrong;/).waitFor();
  }));

test("Checks, throttle: the pattern that was refused is marked, those before it stand, and a retry runs them all", () =>
  on("/c/local/checks/school", async (page, go) => {
    const address = (url) => decodeURIComponent(url.pathname).endsWith("/patterns/a course's roster");
    await page.route(address, (route) => refuse(route, THROTTLED));
    await go();
    await page.getByRole("button", { name: "Run all" }).click();
    await alert(page).getByText("Wait a moment").waitFor();
    await page.getByRole("row", { name: /stopped a course's roster/ }).waitFor();
    await page.getByRole("row", { name: /^pass / }).first().waitFor();
    await page.unroute(address);
    await alert(page).getByRole("button", { name: "Retry" }).click();
    await page.getByRole("row", { name: /pass a course's roster/ }).waitFor();
    await alert(page).waitFor({ state: "detached" });
  }));

for (const [tab, button] of [
  ["patterns", "Run all"],
  ["counters", "Compare counters with edges"],
  ["pitfalls", "Look at up to 2,000 items"],
])
  test(`Checks, expired credentials (${tab}): a bar on top, the screen stays, and the next answer takes it away`, () =>
    on(`/c/local/checks/school?tab=${tab}`, async (page, go) => {
      await go();
      const start = page.getByRole("button", { name: button });
      await start.waitFor();
      if (tab === "pitfalls") await page.getByText("no item was read").waitFor();
      await page.route("**/api/v1/c/**", (route) => refuse(route, "ExpiredTokenException"));
      await start.click();
      await bar(page).waitFor();
      await alert(page).getByText("Sign in again").waitFor();
      await page.getByRole("heading", { name: "Checks of school" }).waitFor();
      assert.deepEqual(await accessibilityFaults(page), []);
      await page.unroute("**/api/v1/c/**");
      page.setDefaultTimeout(60_000);
      await alert(page).getByRole("button", { name: "Retry" }).click();
      await bar(page).waitFor({ state: "detached" });
      await alert(page).waitFor({ state: "detached" });
    }));

for (const [tab, button, address] of [
  ["patterns", "Run all", "**/models/school/patterns/**"],
  ["counters", "Compare counters with edges", "**/models/school/verify"],
  ["pitfalls", "Look at up to 2,000 items", "**/models/school/doctor?items=2000"],
])
  test(`Checks, cancel (${tab}): what takes long can be stopped, and begun again`, () =>
    on(`/c/local/checks/school?tab=${tab}`, async (page, go) => {
      const release = await held(page, address);
      await go();
      const start = page.getByRole("button", { name: button });
      await start.click();
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("button", { name: "Cancel" }).waitFor({ state: "detached" });
      release();
      assert.ok(await start.isEnabled());
    }));

test("Checks, empty: without an example the sheet says what to give, and a table without items is said to be whole", async () => {
  const toml = (await (await fetch(`${server.url}/api/v1/c/local/models/follow`)).json()).toml;
  await fetch(`${server.url}/api/v1/c/local/models/hollow`, {
    method: "PUT",
    headers: { "content-type": "application/json", origin: server.url },
    body: JSON.stringify({ toml: toml.replaceAll('"follow"', '"hollow"') }),
  });
  await fetch(`${server.url}/api/v1/c/local/models/hollow/apply`, { method: "POST", headers: { origin: server.url } });
  await on("/c/local/checks/hollow", async (page, go) => {
    await go();
    await page.getByRole("button", { name: "Run all" }).click();
    await page.getByText("no example was found: give a source and a target").first().waitFor();
    await page.getByRole("textbox", { name: "Source" }).fill("ann");
    await page.getByRole("textbox", { name: "Target" }).fill("ben");
    await page.getByRole("button", { name: "Run all" }).click();
    await page.getByText("6 of 6 as proved").waitFor();
    await page.getByRole("button", { name: "Pitfalls" }).click();
    await page.getByRole("button", { name: "Look at up to 2,000 items" }).click();
    await page.getByText("0 items looked at, all there are.").waitFor();
  });
});

test("Checks, a 1 MB page: a list that it cut short says that more follow, and what the page cost", async () => {
  await heavy("weighty");
  await on("/c/local/checks/follow?s=weighty00&t=weighty", async (page, go) => {
    await go();
    await page.getByRole("button", { name: "Run all" }).click();
    const row = page.getByRole("row", { name: /who follows an actor/ });
    await row.getByText("more follow").waitFor();
    assert.match(await row.innerText(), /pass.*\s18 more follow\s+132\.5 RCU\s+132\.5 RCU/s);
  });
});

// Build.

const build = (input) => `/c/local/build?${new URLSearchParams({ q: JSON.stringify(input) })}`;
const text = (page) => page.getByRole("textbox", { name: "Request" });
const sent = (page) => page.getByRole("button", { name: /^Send / });

test("Build, conflict: a refused condition shows the item in the way, and the item is as it was", () => {
  const Key = { PK: { S: "ACTOR#alice" }, SK: { S: "TARGET#bob" } };
  const put = { TableName: "follow", Item: Key, ConditionExpression: "attribute_not_exists(PK)", ReturnValuesOnConditionCheckFailure: "ALL_OLD" };
  return on(build(put), async (page, go) => {
    await go();
    await sent(page).click();
    await alert(page).getByText("ConditionalCheckFailedException").waitFor();
    await alert(page).getByText("The item in the way").waitFor();
    await alert(page).getByText("FOLLOWS", { exact: true }).waitFor();
    const { Item } = await server.sdk.send(new GetItemCommand({ TableName: "follow", Key }));
    assert.equal(Item.edgeType.S, "FOLLOWS");
  });
});

const list = { TableName: "follow", KeyConditionExpression: "PK = :a", ExpressionAttributeValues: { ":a": { S: "ACTOR#alice" } } };

test("Build, throttle: what to do is said, the request stays, and a retry sends it", () =>
  on(build(list), async (page, go) => {
    await page.route("**/c/local/request", (route) =>
      route.request().postDataJSON().operation === "Query" ? refuse(route, THROTTLED) : route.continue(),
    );
    await go();
    await sent(page).click();
    await alert(page).getByText("Wait a moment").waitFor();
    assert.deepEqual(JSON.parse(await text(page).inputValue()), list);
    await page.unroute("**/c/local/request");
    await alert(page).getByRole("button", { name: "Retry" }).click();
    await page.getByText("3 items").waitFor();
  }));

test("Build, expired credentials: a bar on top, what was typed stays, and the next answer takes it away", () =>
  on(build(list), async (page, go) => {
    await go();
    await sent(page).waitFor();
    await page.route("**/c/local/request", (route) => refuse(route, "ExpiredTokenException"));
    await sent(page).click();
    await bar(page).waitFor();
    assert.deepEqual(JSON.parse(await text(page).inputValue()), list);
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.unroute("**/c/local/request");
    await alert(page).getByRole("button", { name: "Retry" }).click();
    await page.getByText("3 items").waitFor();
    await bar(page).waitFor({ state: "detached" });
  }));

test("Build, cancel: a slow answer shows the time, is stopped, and the request is sent again", () =>
  on(build(list), async (page, go) => {
    await go();
    await sent(page).waitFor();
    const release = await held(page, "**/c/local/request");
    await sent(page).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Nothing has been sent yet.").waitFor();
    release();
    await sent(page).click();
    await page.getByText("3 items").waitFor();
  }));

test("Build, empty: nothing written says what could be, and a read of nothing says what it cost", () => {
  const none = { ...list, ExpressionAttributeValues: { ":a": { S: "ACTOR#nobody" } } };
  return on("/c/local/build", async (page, go) => {
    await go();
    await page.getByText("A request that can be read is shown here.").waitFor();
    assert.equal(await sent(page).count(), 0);
    await text(page).fill(JSON.stringify(none));
    await sent(page).click();
    await page.getByText("0 items").waitFor();
    await page.getByText("0.5 RCU").first().waitFor();
  });
});

test("Build, a 1 MB page: it shows what it holds, and the next page on request, until there is none", async () => {
  await heavy("massive");
  await server.sdk.send(
    new PutItemCommand({ TableName: "follow", Item: { PK: { S: "ACTOR#z" }, SK: { S: "TARGET#massive" }, GSI1PK: { S: "TARGET#massive" }, GSI1SK: { S: "ACTOR#z" } } }),
  );
  const query = { TableName: "follow", IndexName: "GSI1", KeyConditionExpression: "GSI1PK = :t", ExpressionAttributeValues: { ":t": { S: "TARGET#massive" } } };
  await on(build(query), async (page, go) => {
    await go();
    await sent(page).click();
    const more = page.getByRole("button", { name: "Read the next page" });
    await more.waitFor();
    assert.equal(await page.getByText("41 items").count(), 0);
    await more.click();
    await page.getByText(/\b3\d items/).waitFor();
    await more.click();
    await page.getByText("41 items").waitFor();
    await more.waitFor({ state: "detached" });
  });
});
