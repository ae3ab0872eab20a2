// Stream records: a table's changes as they come, before and after, by whom; paused and paged.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DeleteItemCommand, PutItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { openAt, openBrowser, picture, pictures, startServer, well } from "./bench.mjs";

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
const Key = { PK: S("ACTOR#stream"), SK: S("NOTE") };
const put = (note, key = Key) => server.sdk.send(new PutItemCommand({ TableName: "follow", Item: { ...key, note: S(note), same: S("x") } }));
const open = (settings = {}) => openAt(browser, `${server.url}/c/local/tables/follow?tab=records`, settings);
const list = (page) => page.getByRole("list", { name: "Changes, the newest first" });
const rows = (page) => list(page).getByRole("listitem");

test("a stream is turned on, and changes come with both images, kind, time and who made them", async () => {
  const opened = await open();
  const { page } = opened;
  await page.getByText("This table keeps no stream of its changes.").waitFor();
  await picture(page, "records-off");
  await page.getByRole("button", { name: "Keep a stream, with both images" }).click();
  await page.getByText("No change yet.").waitFor();
  await put("one");
  await server.sdk.send(
    new UpdateItemCommand({ TableName: "follow", Key, UpdateExpression: "SET note = :n", ExpressionAttributeValues: { ":n": S("two") } }),
  );
  await server.sdk.send(new DeleteItemCommand({ TableName: "follow", Key }));
  await rows(page).nth(2).waitFor();
  const said = await rows(page).allInnerTexts();
  for (const [at, kind] of ["Removed", "Changed", "Put"].entries())
    assert.match(said[at], new RegExp(`${kind}[\\s\\S]*\\d\\d:\\d\\d:\\d\\d[\\s\\S]*ACTOR#stream[\\s\\S]*by a request`));
  await rows(page).nth(1).locator("summary").press("Enter");
  const changed = rows(page).nth(1).getByRole("row", { name: /^note/ });
  assert.match(await changed.innerText(), /one[\s\S]*two/);
  await pictures(page, "records");
  await well(opened);
});

test("paused, nothing comes and nothing is lost; many changes are on pages", async () => {
  const opened = await open({ theme: "dark" });
  const { page } = opened;
  await rows(page).nth(2).waitFor();
  await page.keyboard.press("p");
  await page.getByRole("button", { name: "Read on" }).waitFor();
  for (let at = 0; at < 60; at++) await put(`n${at}`, { PK: S(`ACTOR#many${at}`), SK: S("NOTE") });
  await page.waitForTimeout(1500);
  assert.equal(await rows(page).count(), 3);
  await page.getByRole("button", { name: "Read on" }).click();
  await page.getByText("1 to 50 of 63").waitFor();
  assert.match(await rows(page).first().innerText(), /ACTOR#many59/);
  await page.getByRole("button", { name: "Older" }).click();
  await page.getByText("51 to 63 of 63").waitFor();
  assert.equal(await rows(page).count(), 13);
  // An older page stands still while changes go on.
  await put("later");
  await page.waitForTimeout(1500);
  assert.equal(await rows(page).count(), 13);
  await page.getByRole("button", { name: "Newer" }).click();
  await page.getByText("1 to 50 of 64").waitFor();
  await well(opened);
});

test("the records are in four languages", async () => {
  for (const [locale, title] of [["es", "Registros del stream"], ["ja", "ストリームのレコード"], ["zh-Hant", "串流記錄"]]) {
    const opened = await open({ locale });
    await opened.page.getByRole("heading", { name: title }).waitFor();
    await opened.page.getByRole("main").getByRole("listitem").nth(20).waitFor();
    await well(opened);
  }
});
