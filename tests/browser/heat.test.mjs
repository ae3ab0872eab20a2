// Heat: a hot key found by real traffic, sharded from where it is seen, and looked at before and after.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PutItemCommand } from "@aws-sdk/client-dynamodb";
import { accessibilityFaults, clipped, openAt, openBrowser, picture, pictures, startServer, well } from "./bench.mjs";

const WORKERS = 8;
const SPREAD_MS = 60_000;

let server;
let browser;
before(async () => {
  [server, browser] = await Promise.all([startServer(), openBrowser()]);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const S = (text) => ({ S: text });

/** Follows star by one actor after the other until told to stop, as an application does through the graph's API. */
function traffic() {
  let [on, sent] = [true, 0];
  const follow = async () => {
    while (on) {
      sent += 1;
      const body = JSON.stringify({ source: `fan${sent}-${process.pid}`, target: "star" });
      const path = `${server.url}/api/v1/c/local/models/follow/relations/follows/link`;
      const answer = await fetch(path, { method: "POST", body, headers: { "content-type": "application/json" } });
      assert.equal(answer.status, 200, await answer.text());
    }
  };
  const workers = Array.from({ length: WORKERS }, follow);
  return async () => {
    on = false;
    await Promise.all(workers);
    return sent;
  };
}

const open = (path, settings = {}) => openAt(browser, `${server.url}${path}`, settings);

test("keys are not counted until somebody wants to know, and one press counts them", async () => {
  const opened = await open("/c/local/heat?table=school");
  const { page } = opened;
  await page.getByText("The keys of school are not counted").waitFor();
  await picture(page, "heat-off");
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole("button", { name: "Count its keys" }).click();
  await page.getByRole("region", { name: "table school" }).getByText("No key has been used yet.").waitFor();
  await page.getByRole("button", { name: "Stop counting" }).click();
  await page.getByText("The keys of school are not counted").waitFor();
  await well(opened);
});

test("a hot key is found by real traffic, sharded from there, and is hot no more", { timeout: SPREAD_MS * 3 }, async () => {
  const opened = await open("/c/local/heat?table=follow");
  const { page } = opened;
  await page.getByRole("button", { name: "Count its keys" }).click();
  const index = page.getByRole("region", { name: "index GSI1" });
  await index.waitFor();
  const stop = traffic();
  const hot = index.getByRole("button", { name: /list of star.*TARGET#star.*[1-9][\d,.]* WCU\/s/ });
  await hot.waitFor();
  await hot.click();
  const detail = page.getByRole("region", { name: "list of star and its shards" });
  await detail.getByText("Everything in one key.").waitFor();
  await detail.getByRole("region", { name: "Sharding lab" }).waitFor();
  await pictures(page, "heat");
  assert.deepEqual(await accessibilityFaults(page), []);
  await detail.getByRole("slider", { name: "New edges a second" }).fill("4");
  await detail.getByText(/holds/).waitFor();
  await detail.getByRole("slider", { name: "Shards" }).fill("0");
  await detail.getByText(/throttled: 50% refused/).waitFor();
  await detail.getByRole("slider", { name: "Shards" }).fill("4");
  await detail.getByRole("button", { name: "Spread over 16 shards" }).click();
  await detail.getByText(/Spreading: \d+ s of about 17/).waitFor();
  await detail.getByText("New edges go to 16 shards.").waitFor({ timeout: SPREAD_MS });
  assert.equal(await detail.getByRole("list", { name: "Its keys now" }).getByRole("listitem").count(), 17);
  await detail.getByText(/^1 key, the busiest at [\d,.]+ WCU\/s$/).waitFor();
  await detail.getByText(/^17 keys, the busiest at [\d,.]+ WCU\/s$/).waitFor({ timeout: SPREAD_MS });
  const rate = async (keys) => {
    const text = await detail.getByText(new RegExp(`^${keys}, the busiest at`)).innerText();
    return Number(text.match(/at ([\d,.]+)/)[1].replaceAll(",", ""));
  };
  await page.waitForTimeout(4000);
  assert.ok((await rate("17 keys")) < (await rate("1 key")) / 2, `${await rate("1 key")} → ${await rate("17 keys")}`);
  await picture(page, "heat-spread");
  assert.ok((await stop()) > 100);
  const list = await fetch(`${server.url}/api/v1/c/local/models/follow/relations/follows/in?node=star&limit=1`);
  assert.ok(Number((await list.json()).counter) > 2500);
  await well(opened);
});

for (const [locale, theme] of [
  ["es", "light"],
  ["ja", "dark"],
  ["zh-Hant", "light"],
  ["en-XA", "dark"],
])
  test(`in ${locale}, ${theme}, nothing is cut off, and reads have a limit of their own`, async () => {
    const put = new PutItemCommand({ TableName: "school", Item: { PK: S("STU#eve"), SK: S("PROFILE") } });
    const body = JSON.stringify({ table: "school", on: true });
    await fetch(`${server.url}/api/v1/c/local/heat`, { method: "POST", body });
    const opened = await open("/c/local/heat?table=school&by=reads", { locale, theme });
    const { page } = opened;
    await page.getByText("3,000").or(page.getByText("3.000")).or(page.getByText("3000")).first().waitFor();
    await server.sdk.send(put);
    await page.locator("main section button", { hasText: "STU#eve" }).first().click();
    await page.locator("main section", { hasText: "PK = STU#eve" }).last().waitFor();
    assert.deepEqual(await clipped(page), []);
    if (locale === "ja") await picture(page, "heat-ja");
    await page.setViewportSize({ width: 390, height: 800 });
    await well(opened);
  });
