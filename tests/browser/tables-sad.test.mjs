// What goes wrong on the tables screen, and what is large: refusals, a wait, nothing, a page of 1 MB, many pages.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DescribeTableCommand, GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
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

const at = (path, search = {}) => `${server.url}/c/local/tables${path}?${new URLSearchParams(search)}`;
const alice = { PK: { S: "ACTOR#alice" }, SK: { S: "PROFILE" } };

/** Answers requests of one operation with a refusal, as an endpoint would. */
async function refuse(page, operation, code, message) {
  await page.route("**/api/v1/c/local/request", async (route) => {
    if (route.request().postDataJSON().operation !== operation) return route.fallback();
    await route.fulfill({ status: 400, json: { code, message } });
  });
}

for (const [what, code, message] of [
  ["throttled", "ProvisionedThroughputExceededException", "The level of configured provisioned throughput is exceeded."],
  ["expired", "ExpiredTokenException", "The security token included in the request is expired"],
])
  test(`${what}: a read says so in place, keeps the question, and goes on when asked again`, async () => {
    const { page, errors, close } = await openPage(browser);
    await refuse(page, "Query", code, message);
    await page.goto(at("/follow", { pk: alice.PK.S }));
    await page.getByText(message).first().waitFor();
    assert.equal(await page.getByRole("textbox", { name: "PK =" }).inputValue(), alice.PK.S);
    assert.deepEqual(await accessibilityFaults(page), []);
    await picture(page, `tables-${what}-light`);
    // The frame's bar about the credentials comes in above everything, and moves it: that is meant.
    if (what === "expired")
      await page.evaluate(() => {
        globalThis.layoutShift.length = 0;
      });
    await page.unrouteAll();
    await page.getByRole("button", { name: "Retry" }).first().click();
    await page.getByRole("row", { name: /PROFILE/ }).waitFor();
    const { Item } = await server.sdk.send(new GetItemCommand({ TableName: "follow", Key: alice }));
    assert.equal(Item.PK.S, alice.PK.S);
    assert.deepEqual(errors, []);
    await close();
  });

test("a refused commit keeps what was staged", async () => {
  const { page, close } = await openPage(browser);
  await page.goto(at("/follow", { pk: alice.PK.S, item: JSON.stringify(Object.entries(alice)) }));
  await page.getByRole("button", { name: "Delete this item" }).click();
  await refuse(page, "TransactWriteItems", "ExpiredTokenException", "The security token included in the request is expired");
  await page.getByRole("button", { name: "Commit" }).click();
  await page.getByText("The security token included in the request is expired").first().waitFor();
  await page.getByText("1 staged change").waitFor();
  const { Item } = await server.sdk.send(new GetItemCommand({ TableName: "follow", Key: alice }));
  assert.ok(Item, "nothing was deleted");
  await close();
});

test("a Scan that runs is cancelled at once, and goes on when asked", async () => {
  const { page, close } = await openPage(browser);
  await page.route("**/api/v1/c/local/request", (route) =>
    route.request().postDataJSON().operation === "Scan" ? undefined : route.fallback(),
  );
  await page.goto(at("/follow", { scan: "1" }));
  const cancel = page.getByRole("button", { name: "Cancel" });
  await cancel.waitFor();
  const started = Date.now();
  await cancel.click();
  await page.getByText(/Cancelled after/).waitFor();
  console.log(`cancelled after ${Date.now() - started} ms`);
  await page.unrouteAll();
  await page.getByRole("button", { name: "Go on" }).click();
  await page.getByText("Scan on follow").waitFor();
  const { Table } = await server.sdk.send(new DescribeTableCommand({ TableName: "follow" }));
  assert.equal(Table.TableStatus, "ACTIVE");
  await close();
});

test("an empty answer says that it is empty, and what it cost", async () => {
  const { page, close } = await openPage(browser);
  await page.goto(at("/follow", { pk: "NOBODY" }));
  await page.getByText("No rows here.").waitFor();
  await page.getByText("0.5 RCU").first().waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await close();
});

test("a page of 1 MB is read on until the rows fill the screen", async () => {
  for (let n = 0; n < 6; n += 1)
    await server.sdk.send(
      new PutItemCommand({
        TableName: "follow",
        Item: { PK: { S: "LARGE" }, SK: { S: `part ${n}` }, text: { S: "x".repeat(390_000) } },
      }),
    );
  const { page, errors, close } = await openPage(browser);
  await page.goto(at("/follow", { pk: "LARGE" }));
  await page.getByText("6 rows loaded").waitFor();
  const { Item } = await server.sdk.send(
    new GetItemCommand({ TableName: "follow", Key: { PK: { S: "LARGE" }, SK: { S: "part 5" } } }),
  );
  assert.equal(Item.text.S.length, 390_000);
  assert.deepEqual(errors, []);
  await close();
});

test("odd items stay whole: 300 KB of text, the deepest nesting, 500 attributes, a key of 1,000 characters, empty values", async () => {
  const nested = (depth) => (depth === 0 ? { S: "" } : { L: [nested(depth - 1)] });
  const Key = { PK: { S: "ODD" }, SK: { S: "k/,#日".repeat(140) } };
  const odd = {
    ...Key,
    text: { S: "x".repeat(300_000) },
    deep: nested(31),
    none: { L: [] },
    nothing: { M: {} },
    blank: { S: "" },
  };
  const many = {
    PK: Key.PK,
    SK: { S: "many" },
    ...Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`attribute${n}`, { S: `value ${n}` }])),
  };
  for (const Item of [odd, many]) await server.sdk.send(new PutItemCommand({ TableName: "follow", Item }));
  const { page, errors, close } = await openPage(browser);
  const commit = async () => {
    await page.getByRole("button", { name: "Commit" }).click();
    await page.getByText("1 change committed").waitFor();
  };
  await page.goto(at("/follow", { pk: "ODD", item: JSON.stringify(Object.entries(Key)) }));
  await page.getByRole("button", { name: "Edit blank" }).click();
  await page.getByRole("textbox", { name: "blank" }).fill("written");
  await page.getByRole("textbox", { name: "blank" }).press("Enter");
  // However long a value is, what can be done with the item stays in sight, and so does the price of the rows.
  for (const part of [
    page.getByRole("complementary", { name: "Item" }).getByRole("button", { name: "Close" }),
    page.locator("footer").filter({ hasText: "rows loaded" }).getByText("RCU"),
  ]) {
    const box = await part.boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 1280 && box.y + box.height <= 800, "in sight");
  }
  assert.deepEqual(await accessibilityFaults(page), []);
  await picture(page, "tables-odd-light");
  await commit();
  const read = async (key) => (await server.sdk.send(new GetItemCommand({ TableName: "follow", Key: key }))).Item;
  assert.deepEqual(await read(Key), { ...odd, blank: { S: "written" } });

  // More attributes than a condition can name: the deletion is guarded by the first of them, and undone whole.
  const manyKey = { PK: many.PK, SK: many.SK };
  await page.goto(at("/follow", { pk: "ODD", item: JSON.stringify(Object.entries(manyKey)) }));
  await page.getByRole("button", { name: "Delete this item" }).click();
  await commit();
  assert.equal(await read(manyKey), undefined);
  await page.getByRole("button", { name: "Undo" }).click();
  await commit();
  assert.deepEqual(await read(manyKey), many);
  assert.deepEqual(errors, []);
  await close();
});
