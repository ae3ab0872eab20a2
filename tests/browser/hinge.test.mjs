// The hinge against the real server: follow, both halves, send again; walks; states; four languages; two themes.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { GetItemCommand, QueryCommand } from "@aws-sdk/client-dynamodb";
import { accessibilityFaults, busy, openBrowser, openPage, picture, startServer, withSettings } from "./bench.mjs";

let server;
let browser;
before(async () => {
  [server, browser] = await Promise.all([startServer(), openBrowser()]);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const halves = (page) => ({
  out: page.getByRole("region", { name: /follows$/ }),
  in: page.getByRole("region", { name: /is followed by$/ }),
  card: page.getByRole("article"),
  result: page.getByRole("region", { name: "Result" }),
});

test("the first screen shows both halves, the item and the receipts without scrolling", async () => {
  const { page, errors, layoutShift, close } = await openPage(browser);
  const started = Date.now();
  await page.goto(server.url);
  await page.getByRole("heading", { name: "alice → bob" }).waitFor();
  const { out, in: inward, card } = halves(page);
  await out.getByText("1 RCU").first().waitFor();
  await inward.getByText("0.5 RCU").waitFor();
  console.log(`first screen after ${Date.now() - started} ms`);
  const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime);
  console.log(`first content after ${Math.round(paint)} ms`);
  assert.ok(paint < 1000 * busy(), "first content within a second");
  for (const part of [
    out.getByRole("option", { name: "bob" }),
    inward.getByRole("option", { name: "alice" }),
    card.getByText("TARGET#bob").first(),
    out.getByText("1 RCU").first(),
    inward.getByText("0.5 RCU"),
  ]) {
    const box = await part.boundingBox();
    assert.ok(box && box.y >= 0 && box.y + box.height <= 800, "in sight at 1280 × 800");
  }
  for (const side of ["out", "in"]) await page.locator(`path[data-side=${side}]`).waitFor({ state: "attached" });
  const scrolls = await page.evaluate(() => document.documentElement.scrollHeight > window.innerHeight);
  assert.equal(scrolls, false);
  assert.deepEqual(await layoutShift(), []);
  assert.deepEqual(errors, []);
  await close();
});

test("following takes four clicks and no typing, and sending again changes nothing", async () => {
  const { page, errors, close } = await openPage(browser);
  await page.addInitScript(() => {
    globalThis.hands = { clicks: 0, keys: 0 };
    addEventListener("pointerdown", (event) => event.isTrusted && (globalThis.hands.clicks += 1), true);
    addEventListener("keydown", (event) => event.isTrusted && (globalThis.hands.keys += 1), true);
  });
  await page.goto(server.url);
  const { out, in: inward, card, result } = halves(page);
  await out.getByRole("option", { name: "carol" }).waitFor();

  await page.getByRole("combobox", { name: "Target" }).click();
  await page.getByRole("option", { name: "dave", exact: true }).last().click();
  await card.getByText("No such edge").waitFor();
  await page.getByRole("button", { name: "Follow", exact: true }).click();
  const dotted = inward.locator("[data-awaited]");
  await dotted.waitFor();
  await out.getByRole("option", { name: "dave" }).waitFor();
  assert.equal((await out.getByRole("status").innerText()).trim(), "3");
  await dotted.waitFor({ state: "detached" });
  await inward.getByRole("option", { name: "alice" }).waitFor();
  await page.getByRole("button", { name: "Send again" }).click();
  await result.getByText("Unchanged").waitFor();
  assert.equal((await out.getByRole("status").innerText()).trim(), "3");
  assert.deepEqual(await page.evaluate(() => globalThis.hands), { clicks: 4, keys: 0 });

  const Key = { PK: { S: "ACTOR#alice" }, SK: { S: "TARGET#dave" } };
  const { Item } = await server.sdk.send(new GetItemCommand({ TableName: "follow", Key }));
  assert.equal(Item.GSI1PK.S, "TARGET#dave");
  const profile = { PK: { S: "ACTOR#alice" }, SK: { S: "PROFILE" } };
  const alice = await server.sdk.send(new GetItemCommand({ TableName: "follow", Key: profile }));
  assert.equal(alice.Item.following.N, "3");
  assert.deepEqual(errors, []);
  await close();
});

test("sixteen at once make one edge, and unlinking takes it away on both sides", async () => {
  const { page, close } = await openPage(browser);
  await page.goto(`${server.url}/c/local/both/follow/follows?s=carol&t=dave`);
  const { in: inward, card, result } = halves(page);
  await card.getByText("No such edge").waitFor();
  await page.getByRole("button", { name: "Follow", exact: true }).click();
  await result.getByText("Created", { exact: true }).waitFor();
  await page.getByRole("button", { name: "16 at once" }).click();
  await result.getByText("0 Created, 16 Unchanged").waitFor();
  await page.getByRole("button", { name: "Unfollow" }).click();
  await result.getByText("Removed").waitFor();
  await inward.getByRole("option", { name: "carol" }).waitFor({ state: "detached" });
  const { Count } = await server.sdk.send(
    new QueryCommand({
      TableName: "follow",
      IndexName: "GSI1",
      KeyConditionExpression: "GSI1PK = :t AND GSI1SK = :s",
      ExpressionAttributeValues: { ":t": { S: "TARGET#dave" }, ":s": { S: "ACTOR#carol" } },
    }),
  );
  assert.equal(Count, 0);
  await close();
});

test("sixteen at once where there is no edge make one, fifteen find it there, and undo takes it away", async () => {
  const { page, close } = await openPage(browser);
  await page.goto(`${server.url}/c/local/both/follow/follows?s=dave&t=alice`);
  const { in: inward, card, result } = halves(page);
  await card.getByText("No such edge").waitFor();
  await page.getByRole("button", { name: "16 at once" }).click();
  await result.getByText("1 Created, 15 Unchanged").waitFor();
  await result.getByText("counter 1, list 1").waitFor();
  await result.getByRole("button", { name: "Open the transaction" }).click();
  for (const words of ["1 Put", "attribute_not_exists(PK)", "2 Update", "3 Update", "token"])
    await result.getByText(words).first().waitFor();
  await result.getByRole("button", { name: "Undo" }).click();
  await result.getByText("Removed").waitFor();
  await inward.getByText("Nothing here yet.").waitFor();
  await close();
});

test("a dropped enrolment comes back by undo with what it held", async () => {
  const { page, close } = await openPage(browser);
  await page.goto(`${server.url}/c/local/both/school/enrolled?s=s0001&t=phys101`);
  const { result } = halves(page);
  const Key = { PK: { S: "STU#s0001" }, SK: { S: "ENROLL#CRS#phys101" } };
  const stored = async () => (await server.sdk.send(new GetItemCommand({ TableName: "school", Key }))).Item;
  const { opId: _, ...before } = await stored();
  await page.getByRole("button", { name: "Drop" }).click();
  await result.getByText("Removed").waitFor();
  assert.equal(await stored(), undefined);
  await result.getByRole("button", { name: "Undo" }).click();
  await result.getByText("Created").waitFor();
  const { opId: __, ...after } = await stored();
  assert.deepEqual(after, before);
  await close();
});

test("a node stands between both of its lists, and a side that the model lacks is closed", async () => {
  const { page, errors, close } = await openPage(browser);
  await page.goto(server.url);
  await halves(page).in.getByText("0.5 RCU").waitFor();
  await halves(page).in.getByRole("option", { name: /^dave/ }).dblclick();
  await page.getByRole("heading", { name: "dave", exact: true }).waitFor();
  await page.getByRole("region", { name: "dave is followed by" }).waitFor();
  await page.getByRole("region", { name: "dave follows" }).getByRole("option", { name: /^bob/ }).click();
  await page.getByRole("heading", { name: "bob", exact: true }).waitFor();
  await page.getByRole("navigation", { name: "The way here" }).getByRole("link", { name: "dave", exact: true }).click();
  await page.getByRole("heading", { name: "dave", exact: true }).waitFor();
  await page.goto(`${server.url}/c/local/both/school/enrolled?view=node&e=course&n=math204`);
  await page.getByText("In this model a course points to nothing.").waitFor();
  await page.getByRole("heading", { name: "No edges out of math204" }).waitFor();
  await page.getByRole("button", { name: "New edge: math204 has enrolled" }).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole("link", { name: "Open the item in school" }).click();
  await page.getByRole("button", { name: "Edit SK" }).waitFor();
  assert.deepEqual(errors, []);
  await close();
});

test("the map draws both lists of a node, forty at a time, and reads a neighbour's on request", async () => {
  const { page, errors, layoutShift, close } = await openPage(browser);
  await page.goto(`${server.url}/c/local/both/follow/follows?view=map&e=actor&n=star`);
  const map = page.getByRole("list", { name: "Map" });
  await map.getByRole("listitem").nth(40).waitFor();
  assert.equal(await map.getByRole("listitem").count(), 41);
  // Both counters are in one item: it is read once, and the sum says so.
  assert.equal(await page.getByText("GetItem on follow").count(), 1);
  await page.getByText("star is followed by: 40 of 2,500").waitFor();
  await page.getByRole("button", { name: "40 more of 2,460 left" }).click();
  await map.getByRole("listitem").nth(80).waitFor();
  await page.goto(`${server.url}/c/local/both/follow/follows?view=map&e=actor&n=bob`);
  await map.getByRole("button", { name: "Read both lists of alice" }).click();
  await map.getByRole("button", { name: "carol: put it in the middle" }).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await map.getByRole("button", { name: "alice: put it in the middle" }).click();
  await page.waitForURL(/n=alice/);
  assert.deepEqual(await layoutShift(), []);
  assert.deepEqual(errors, []);
  await close();
});

test("from alice → bob one walks to bob's followers and back, and they are what the index holds", async () => {
  const { page, errors, close } = await openPage(browser);
  await page.goto(server.url);
  await page.getByRole("heading", { name: "alice → bob" }).waitFor();
  await halves(page).out.getByRole("option", { name: /^bob/ }).dblclick();
  await page.getByRole("heading", { name: "bob", exact: true }).waitFor();
  const followers = page.getByRole("region", { name: "bob is followed by" });
  await followers.getByRole("option", { name: /^dave/ }).waitFor();
  const shown = (await followers.getByRole("option").allInnerTexts()).map((words) => words.split(/\s/)[0]);
  await page.getByRole("navigation", { name: "The way here" }).getByRole("link", { name: "alice → bob" }).click();
  await page.getByRole("heading", { name: "alice → bob" }).waitFor();
  const { Items } = await server.sdk.send(
    new QueryCommand({
      TableName: "follow",
      IndexName: "GSI1",
      KeyConditionExpression: "GSI1PK = :bob",
      ExpressionAttributeValues: { ":bob": { S: "TARGET#bob" } },
    }),
  );
  assert.deepEqual(shown, Items.map(({ GSI1SK }) => GSI1SK.S.replace("ACTOR#", "")));
  assert.deepEqual(errors, []);
  await close();
});

test("a click walks to the neighbour, and back returns", async () => {
  const { page, close } = await openPage(browser);
  await page.goto(server.url);
  const { in: inward } = halves(page);
  await inward.getByRole("option", { name: "dave" }).click();
  await page.getByRole("heading", { name: "dave → bob" }).waitFor();
  assert.match(page.url(), /s=dave&t=bob/);
  await page.goBack();
  await page.getByRole("heading", { name: "alice → bob" }).waitFor();
  await close();
});

test("a grade is set on the edge and read from the course's side", async () => {
  const { page, close } = await openPage(browser);
  await page.goto(`${server.url}/c/local/both/school/enrolled?s=a91&t=math204`);
  await page.getByRole("button", { name: "Edit grade" }).click();
  await page.getByRole("textbox", { name: "grade" }).fill("A");
  await page.getByRole("textbox", { name: "grade" }).press("Enter");
  await halves(page).result.getByText("Updated").waitFor();
  await page.getByRole("region", { name: /math204/ }).getByRole("option", { name: "a91" }).getByText(/ A$/).waitFor();
  const Key = { PK: { S: "STU#a91" }, SK: { S: "ENROLL#CRS#math204" } };
  const { Item } = await server.sdk.send(new GetItemCommand({ TableName: "school", Key }));
  assert.equal(Item.grade.S, "A");
  await close();
});

test("a celebrity's followers come page by page", async () => {
  const { page, close } = await openPage(browser);
  await page.goto(`${server.url}/c/local/both/follow/follows?s=fan0001&t=star`);
  const { in: inward } = halves(page);
  await inward.getByRole("option", { name: "fan0050" }).waitFor();
  assert.equal((await inward.getByRole("status").innerText()).trim(), "2,500");
  await inward.getByRole("button", { name: "Show more" }).click();
  await inward.getByRole("option", { name: "fan0100" }).waitFor();
  await close();
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing on the hinge, ${colorScheme}`, async () => {
    const { page, close } = await openPage(browser, { colorScheme });
    await page.goto(server.url);
    await page.getByRole("heading", { name: "alice → bob" }).waitFor();
    await halves(page).in.getByText("0.5 RCU").waitFor();
    await page.getByRole("button", { name: "Send again" }).click();
    await page.getByText("Unchanged").waitFor();
    await page.getByRole("button", { name: "Open the transaction" }).click();
    assert.deepEqual(await accessibilityFaults(page), []);
    await close();
  });

  test(`pictures for the README, ${colorScheme}`, async () => {
    const viewport = { width: 1280, height: 660 };
    const { page, close } = await openPage(browser, { colorScheme, viewport, deviceScaleFactor: 2 });
    await withSettings(page, { notesSeen: ["item", "counter", "receipt"] });
    await page.goto(server.url);
    const { in: inward, result } = halves(page);
    await inward.getByText("0.5 RCU").waitFor();
    await page.getByRole("button", { name: "Send again" }).click();
    await result.getByText("Unchanged").waitFor();
    await page.mouse.move(640, 655);
    await picture(page, `hinge-${colorScheme}`);
    await page.goto(`${server.url}/c/local/both/school/enrolled?view=node&e=student&n=a91`);
    await page.getByRole("option", { name: /math204/ }).waitFor();
    await picture(page, `node-${colorScheme}`);
    await page.goto(`${server.url}/c/local/both/follow/follows?view=map&e=actor&n=bob`);
    await page.getByRole("button", { name: "Read both lists of alice" }).click();
    await page.getByRole("button", { name: "carol: put it in the middle" }).waitFor();
    await page.mouse.move(640, 655);
    await picture(page, `map-${colorScheme}`);
    await close();
  });
}

for (const [language, heading] of [
  ["es", "Seguir"],
  ["ja", "フォローする"],
  ["zh-Hant", "追蹤"],
]) {
  test(`the hinge speaks ${language}`, async () => {
    const { page, close } = await openPage(browser);
    await page.goto(`${server.url}/c/local/both/follow/follows?s=bob&t=alice`);
    await page.getByLabel("Language").selectOption(language);
    await page.getByRole("button", { name: heading, exact: true }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.lang), language);
    await picture(page, `hinge-${language}`);
    await close();
  });
}
