// The frame: palette, keys, history, focus after every overlay, narrow windows, zoom, longer languages.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { GetItemCommand } from "@aws-sdk/client-dynamodb";
import { accessibilityFaults, clipped, openBrowser, openPage, overflow, startServer, withSettings } from "./bench.mjs";

let server;
let browser;
before(async () => {
  [server, browser] = await Promise.all([startServer(), openBrowser()]);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const HINGE = "/c/local/both/follow/follows?s=alice&t=bob";
const focused = (page) => page.evaluate(() => document.activeElement?.textContent);
const settled = (page) => page.getByRole("region", { name: "bob is followed by" }).getByText("0.5 RCU").waitFor();

test("the rail shows every model with its relations, and marks where one is", async () => {
  const { page, close } = await openPage(browser);
  await page.goto(server.url);
  await settled(page);
  const models = await (await fetch(`${server.url}/api/v1/c/local/models`)).json();
  assert.ok(models.length >= 3);
  const rail = page.getByRole("navigation", { name: "Screens" });
  for (const model of models) {
    await rail.getByRole("region", { name: model.name }).waitFor();
    for (const relation of model.relations)
      await rail.getByRole("region", { name: model.name }).getByText(relation.name, { exact: true }).first().waitFor();
  }
  // A relation opens on an edge that is there, whichever it is of its model.
  for (const [relation, edge] of [["likes", "cleo → post1"], ["friends", "ann → ben"]]) {
    await rail.getByRole("link", { name: relation, exact: true }).click();
    await page.getByRole("heading", { name: edge }).waitFor();
    await page.getByText("one item · one write").waitFor();
  }
  await rail.getByRole("link", { name: "Both ways", exact: true }).and(page.locator("[aria-current=page]")).waitFor();
  await rail.getByText("Bothways", { exact: true }).waitFor();
  await close();
});

test("the palette finds screens, nodes and actions by their names, and runs them", async () => {
  const { page, layoutShift, close } = await openPage(browser);
  await page.goto(server.url);
  await settled(page);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("carol");
  await page.getByRole("menuitem", { name: "carol · actor in follow" }).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "carol", exact: true }).waitFor();
  assert.match(page.url(), /view=node.*n=carol/);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("nobody yet");
  await page.getByRole("menuitem", { name: "nobody yet · actor in follow" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("dark theme");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
  assert.deepEqual(await layoutShift(), []);
  await close();
});

test("the focus goes back to where it was after every overlay", async () => {
  const { page, close } = await openPage(browser);
  await page.goto(server.url);
  await settled(page);
  const button = page.getByRole("button", { name: "Send again" });
  await button.focus();
  for (const [open, dialog] of [
    [["Control+k"], "Search or do"],
    [["?"], "Keyboard shortcuts"],
    [["g", "h"], "Sent in this session"],
  ]) {
    for (const key of open) await page.keyboard.press(key);
    await page.getByRole("dialog", { name: dialog }).waitFor();
    await page.waitForFunction(() => document.activeElement?.closest("[role=dialog]"));
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.waitForFunction(() => document.activeElement?.textContent.includes("Send again"));
  }
  assert.match(await focused(page), /Send again/);
  await close();
});

test("the sheet of keys lists what works here, and single keys can be switched off", async () => {
  const { page, close } = await openPage(browser);
  await page.goto(server.url);
  await settled(page);
  await page.keyboard.press("?");
  const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  for (const what of ["Unfollow", "16 at once", "Tables", "Look at the map"]) await sheet.getByText(what).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await sheet.getByRole("checkbox").uncheck();
  await page.keyboard.press("Escape");
  await page.keyboard.press("m");
  await page.waitForTimeout(200);
  assert.doesNotMatch(page.url(), /view=map/);
  await close();
});

test("the history holds each request as it went out, and opens its screen again", async () => {
  const { page, close } = await openPage(browser);
  await page.goto(`${server.url}${HINGE}`);
  await settled(page);
  await page.getByRole("button", { name: "Send again" }).click();
  await page.getByRole("region", { name: "Result" }).getByText("Unchanged").waitFor();
  await page.getByRole("option", { name: /^dave/ }).click();
  await page.getByRole("heading", { name: "dave → bob" }).waitFor();
  await page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: "Tables" }).click();
  await page.getByRole("button", { name: "What was sent" }).click();
  const history = page.getByRole("dialog", { name: "Sent in this session" });
  const entry = history.getByRole("listitem").filter({ hasText: "ACTOR#dave, SK = TARGET#bob" }).first();
  await entry.getByText("GetItem as it was sent").click();
  await entry.getByText('"TableName": "follow"').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await entry.getByRole("link", { name: "Open again" }).click();
  await page.getByRole("heading", { name: "dave → bob" }).waitFor();
  await history.waitFor({ state: "detached" });
  await close();
});

test("the whole first minute works without a mouse", async () => {
  const { page, errors, layoutShift, close } = await openPage(browser);
  await page.goto(server.url);
  await settled(page);
  const result = page.getByRole("region", { name: "Result" });
  await page.keyboard.press("s");
  await page.keyboard.type("dave");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "dave → bob" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  await page.keyboard.type("carol");
  await page.keyboard.press("Enter");
  await page.getByText("No such edge").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await result.getByText("Created").waitFor();
  await page.locator("[data-awaited]").waitFor({ state: "detached" });
  await page.keyboard.press("a");
  await result.getByText("Unchanged").waitFor();
  await page.keyboard.press("x");
  await result.getByText("0 Created, 16 Unchanged").waitFor();
  await result.getByText("counter 2, list 2").waitFor();
  await page.keyboard.press("o");
  await result.getByText("attribute_not_exists(PK)").first().waitFor();

  // Into the lists: the other half by →, its node by Enter, back by Backspace.
  await page.getByRole("option", { name: /^carol/ }).focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.activeElement?.textContent.startsWith("dave"));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "dave", exact: true }).waitFor();
  assert.match(page.url(), /view=node/);
  await page.keyboard.press("m");
  await page.getByRole("button", { name: "dave: put it in the middle" }).waitFor();
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  await page.getByRole("heading", { name: "dave → carol" }).waitFor();
  await page.keyboard.press("w");
  await result.getByText("Removed").waitFor();
  await page.keyboard.press("z");
  await result.getByText("Created").waitFor();
  const Key = { PK: { S: "ACTOR#dave" }, SK: { S: "TARGET#carol" } };
  const { Item } = await server.sdk.send(new GetItemCommand({ TableName: "follow", Key }));
  assert.equal(Item.edgeType.S, "FOLLOWS");
  assert.deepEqual(errors, []);
  assert.deepEqual(await layoutShift(), []);
  await close();
});

const screens = {
  edge: HINGE,
  node: "/c/local/both/follow/follows?view=node&e=actor&n=bob",
  map: "/c/local/both/follow/follows?view=map&e=actor&n=star",
  closed: "/c/local/both/school/enrolled?view=node&e=course&n=math204",
};

for (const [name, width, height] of [
  ["420 pixels", 420, 800],
  ["200 % zoom", 640, 400],
]) {
  test(`at ${name} nothing is lost and nothing scrolls sideways`, async () => {
    const { page, close } = await openPage(browser, { viewport: { width, height } });
    for (const path of Object.values(screens)) {
      await page.goto(`${server.url}${path}`);
      await page.getByText(/RCU/).first().waitFor();
      await page.waitForTimeout(200);
      assert.equal(await overflow(page), 0, path);
      assert.deepEqual(await clipped(page), [], path);
    }
    await page.goto(`${server.url}${HINGE}`);
    await settled(page);
    for (const part of [
      page.getByRole("button", { name: "Unfollow" }),
      page.getByRole("option", { name: "carol" }),
      page.getByRole("heading", { name: "alice → bob" }),
      page.getByRole("option", { name: "dave" }),
      page.getByRole("combobox", { name: "Language" }),
    ]) {
      await part.scrollIntoViewIfNeeded();
      const box = await part.boundingBox();
      assert.ok(box && box.x >= 0 && box.x + box.width <= width && box.y >= 0 && box.y < height);
    }
    const menu = page.getByRole("button", { name: "Screens" });
    await menu.click();
    await page.getByRole("dialog", { name: "Screens" }).getByRole("link", { name: "enrolled" }).click();
    await page.getByRole("heading", { name: "a91 → math204" }).waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    await close();
  });
}

test("a language 40 % longer than English is nowhere cut", async () => {
  const { page, close } = await openPage(browser);
  await withSettings(page, { locale: "en-XA" });
  for (const path of [...Object.values(screens), "/c/local/tables/follow", "/c/local/model/follow", "/design"]) {
    await page.goto(`${server.url}${path}`);
    await page.getByText(/····/).first().waitFor();
    await page.waitForTimeout(400);
    assert.deepEqual(await clipped(page), [], path);
    assert.equal(await overflow(page), 0, path);
  }
  await close();
});
