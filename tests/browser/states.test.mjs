// The hinge when things are not well: throttled, expired, refused, slow, empty, heavy, read-only. axe looks at each.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { BatchWriteItemCommand } from "@aws-sdk/client-dynamodb";
import { accessibilityFaults, openBrowser, openPage, overflow, picture, startServer } from "./bench.mjs";

let server;
let browser;
before(async () => {
  [server, browser] = await Promise.all([startServer(), openBrowser()]);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const FOLLOWS = "**/models/follow/relations/follows";
const inHalf = (page) => page.getByRole("region", { name: "bob is followed by" });
const outHalf = (page) => page.getByRole("region", { name: "alice follows" });
const refuse = (route, code, more = {}) =>
  route.fulfill({ status: 400, json: { code, message: `what the database says about ${code}`, ...more } });

/** Opens a screen, runs a body on it, and then asks for no script error, no shift and no fault of access. */
async function on(path, body, options) {
  const { page, errors, layoutShift, close } = await openPage(browser, options);
  const go = () => page.goto(`${server.url}${path}`);
  await body(page, go);
  assert.equal(await overflow(page), 0);
  assert.deepEqual(await accessibilityFaults(page), []);
  assert.deepEqual(await layoutShift(), []);
  assert.deepEqual(errors, []);
  await close();
}

test("a throttled half says what to do, the other half stands, and a retry reads it", () =>
  on("/", async (page, go) => {
    await page.route(`${FOLLOWS}/in?**`, (route) => refuse(route, "ProvisionedThroughputExceededException"));
    await go();
    await inHalf(page).getByRole("alert").getByText("Wait a moment").waitFor();
    await inHalf(page).getByText("what the database says").waitFor();
    assert.equal(await overflow(page), 0);
    await outHalf(page).getByRole("option", { name: "bob" }).waitFor();
    await picture(page, "state-throttled");
    await page.unroute(`${FOLLOWS}/in?**`);
    await inHalf(page).getByRole("button", { name: "Retry" }).click();
    await inHalf(page).getByRole("option", { name: "alice" }).waitFor();
  }));

test("expired credentials show a bar on top, keep what was read, and go away with the next answer", () =>
  on("/", async (page, go) => {
    await go();
    await inHalf(page).getByRole("option", { name: "alice" }).waitFor();
    await page.route("**/api/v1/c/**", (route) => refuse(route, "ExpiredTokenException"));
    await page.getByRole("button", { name: "Send again" }).click();
    await page.getByText("The credentials are no longer good").waitFor();
    await inHalf(page).getByRole("option", { name: "alice" }).waitFor();
    assert.equal(await page.getByRole("combobox", { name: "Target" }).inputValue(), "bob");
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.unroute("**/api/v1/c/**");
    await page.getByRole("status").getByRole("button", { name: "Retry" }).click();
    await page.getByText("The credentials are no longer good").waitFor({ state: "detached" });
  }));

test("a refused condition shows the item that is in the way", () =>
  on("/c/local/both/school/enrolled?s=a91&t=math204", async (page, go) => {
    const item = { PK: { S: "STU#a91" }, SK: { S: "ENROLL#CRS#math204" }, grade: { S: "theirs" } };
    await page.route("**/relations/enrolled/edge", (route) =>
      route.request().method() === "PATCH" ? refuse(route, "ConditionalCheckFailedException", { item }) : route.continue(),
    );
    await go();
    await page.getByRole("button", { name: "Edit grade" }).click();
    await page.getByRole("textbox", { name: "grade" }).fill("mine");
    await page.getByRole("textbox", { name: "grade" }).press("Enter");
    const alert = page.getByRole("alert");
    await alert.getByText("The item in the way").waitFor();
    await alert.getByText("theirs").waitFor();
  }));

test("a slow read shows the time and can be stopped, and read again", () =>
  on("/", async (page, go) => {
    let held = true;
    await page.route(`${FOLLOWS}/in?**`, async (route) => {
      if (!held) return route.continue();
      await new Promise((resolve) => setTimeout(resolve, 5000));
      return route.continue().catch(() => undefined);
    });
    await go();
    await inHalf(page).getByRole("button", { name: "Cancel" }).click();
    await inHalf(page).getByText("Stopped", { exact: true }).waitFor();
    held = false;
    await inHalf(page).getByRole("button", { name: "Retry" }).click();
    await inHalf(page).getByRole("option", { name: "alice" }).waitFor();
  }));

test("an empty half says so, offers the one action, and shows what it cost", () =>
  on("/c/local/both/follow/follows?s=bob&t=alice", async (page, go) => {
    await go();
    const half = page.getByRole("region", { name: "bob follows" });
    await half.getByText("Nothing here yet.").waitFor();
    await half.getByText("0 of 0 read").waitFor();
    await picture(page, "state-empty");
    await half.getByRole("button", { name: "Choose a target" }).click();
    await page.waitForFunction(() => document.activeElement?.id === "pick-target");
  }));

test("a page that 1 MB cut short shows what it holds, and the rest on request", () =>
  on("/c/local/both/follow/follows?s=big00&t=heavy", async (page, go) => {
    const note = { S: "x".repeat(60_000) };
    const puts = Array.from({ length: 40 }, (_, i) => {
      const from = { S: `ACTOR#big${String(i).padStart(2, "0")}` };
      const to = { S: "TARGET#heavy" };
      return { PutRequest: { Item: { PK: from, SK: to, GSI1PK: to, GSI1SK: from, note } } };
    });
    for (let at = 0; at < puts.length; at += 20)
      await server.sdk.send(new BatchWriteItemCommand({ RequestItems: { follow: puts.slice(at, at + 20) } }));
    await go();
    const half = page.getByRole("region", { name: "heavy is followed by" });
    await half.getByRole("option", { name: "big00" }).waitFor();
    assert.ok((await half.getByRole("option").count()) < 20);
    while ((await half.getByRole("option", { name: "big39" }).count()) === 0) {
      const before = await half.getByRole("option").count();
      await half.getByRole("button", { name: "Show more" }).click();
      await half.getByRole("option").nth(before).waitFor();
    }
    // The edges were put without their counters, and that is said.
    await half.getByText("counter says 0, list shows 40").waitFor();
    await half.getByText("heavy has no item of its own").waitFor();
  }));

test("a connection that only reads explains why nothing can be written", () =>
  on("/", async (page, go) => {
    await page.route("**/api/v1/connections", async (route) => {
      const answer = await route.fetch();
      const all = await answer.json();
      return route.fulfill({ json: all.map((c) => ({ ...c, read_only: true })) });
    });
    await go();
    await page.getByText("This connection only reads").waitFor();
    await inHalf(page).getByRole("option", { name: "alice" }).waitFor();
    for (const name of ["Unfollow", "Send again", "16 at once"])
      assert.ok(await page.getByRole("button", { name }).isDisabled(), name);
    assert.equal(await page.getByRole("button", { name: "Edit createdAt" }).count(), 0);
  }));

test("without a server the page says so, keeps what it shows, and comes back with it", () =>
  on("/", async (page, go) => {
    await go();
    await inHalf(page).getByRole("option", { name: "alice" }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Send again" }).click();
    await page.getByRole("alert").getByText("The server does not answer").waitFor();
    await page.getByRole("status").getByText("The server does not answer").waitFor();
    await outHalf(page).getByRole("option", { name: "bob" }).waitFor();
    await picture(page, "state-offline");
    await page.context().setOffline(false);
    await page.getByRole("status").getByRole("button", { name: "Retry" }).click();
    await page.getByRole("status").getByText("The server does not answer").waitFor({ state: "detached" });
    await page.getByRole("alert").getByRole("button", { name: "Retry" }).click();
    await page.getByRole("region", { name: "Result" }).getByText("Unchanged").waitFor();
  }));

test("a model that is not there is named, not a blank page", () =>
  on("/c/local/both/absent/follows?s=a&t=b", async (page, go) => {
    await go();
    await page.getByRole("alert").getByText("Model absent has no relation follows here.").waitFor();
  }));
