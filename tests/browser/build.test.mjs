// The Build screen against the real server: any request read, explained, printed, sent; what is wrong is pointed at.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
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

const at = () => `${server.url}/c/local/build`;
const command = `aws dynamodb query --table-name follow --index-name GSI1
  --key-condition-expression "GSI1PK = :b"
  --expression-attribute-values '{":b":{"S":"TARGET#bob"}}'`.replaceAll("\n", " \\\n");

test("a pasted command is explained, sent, and turned into Python", async () => {
  const { page, errors, layoutShift, close } = await openPage(browser);
  await page.goto(at());
  await page.getByRole("textbox", { name: "Request" }).fill(command);
  await page.getByText("GSI1PK = TARGET#bob, ascending by sort key").waitFor();
  await page.getByLabel("Programming language").selectOption("python");
  await page.getByText("client.query(**request)").waitFor();
  await picture(page, "build-code");
  await page.getByRole("button", { name: "Send Query" }).click();
  await page.getByText("2 items").waitFor();
  await page.getByText("0.5 RCU").first().waitFor();
  await pictures(page, "build");
  assert.deepEqual(await accessibilityFaults(page), []);
  assert.deepEqual(await layoutShift(), []);
  // The address is the state: opened again, the same request and language are there.
  await page.goto(page.url());
  await page.getByText("client.query(**request)").waitFor();
  assert.deepEqual(errors, []);
  await close();
});

test("a request is saved to a file and opened from it", async () => {
  const { page, errors, layoutShift, close } = await openPage(browser);
  await page.goto(at());
  const box = page.getByRole("textbox", { name: "Request" });
  await box.fill(command);
  const saving = page.waitForEvent("download");
  await page.getByRole("link", { name: "Save to a file" }).click();
  const saved = await saving;
  assert.equal(saved.suggestedFilename(), "Query.json");
  const text = await readFile(await saved.path(), "utf8");
  const file = JSON.parse(text);
  assert.deepEqual([file.bothways, file.version, file.operation], ["request", 1, "Query"]);
  await box.fill("");
  await page.getByLabel("Open a file").setInputFiles({ name: "q.json", mimeType: "application/json", buffer: Buffer.from(text) });
  await page.getByText("GSI1PK = TARGET#bob, ascending by sort key").waitFor();
  const newer = text.replace('"version": 1', '"version": 2');
  await page.getByLabel("Open a file").setInputFiles({ name: "q.json", mimeType: "application/json", buffer: Buffer.from(newer) });
  await page.getByText("version must be 1, not 2").waitFor();
  assert.equal(await page.getByRole("link", { name: "Save to a file" }).count(), 0);
  assert.deepEqual(await accessibilityFaults(page), []);
  assert.deepEqual(await layoutShift(), []);
  assert.deepEqual(errors, []);
  await close();
});

test("what was kept and what was sent outlive the page, are opened again, saved to files, and hold no credentials", async () => {
  const { page, errors, close } = await openPage(browser);
  await page.goto(at());
  const box = page.getByRole("textbox", { name: "Request" });
  // What stands around the request as it was pasted is not kept.
  await box.fill(`${command} --profile my-secret-profile`);
  await page.getByText("GSI1PK = TARGET#bob, ascending by sort key").waitFor();
  await page.getByRole("button", { name: "Keep" }).click();
  await page.getByRole("button", { name: "Send Query" }).click();
  await page.getByText("2 items").waitFor();
  await box.fill('{"TableName":"follow","Key":{"PK":{"S":"ACTOR#alice"},"SK":{"S":"TARGET#bob"}}}');
  await page.getByRole("button", { name: "Send GetItem" }).click();
  await page.getByText("1 item", { exact: true }).waitFor();
  await page.goto(at());
  await page.getByText("Kept: 1 · sent before: 2").click();
  const kept = page.getByRole("region", { name: "Kept in this browser" });
  const sent = page.getByRole("region", { name: "Sent before" });
  assert.equal(await sent.getByRole("listitem").count(), 2);
  await kept.getByRole("button", { name: /GSI1PK = TARGET#bob/ }).first().click();
  await page.getByRole("button", { name: "Send Query" }).waitFor();
  assert.match(await box.inputValue(), /"IndexName": "GSI1"/);
  await page.waitForTimeout(300);
  await picture(page, "build-kept");
  assert.deepEqual(await accessibilityFaults(page), []);
  const saving = page.waitForEvent("download");
  await sent.getByRole("link", { name: /alice/ }).click();
  const file = JSON.parse(await readFile(await (await saving).path(), "utf8"));
  assert.deepEqual([file.bothways, file.operation, file.input.TableName], ["request", "GetItem", "follow"]);
  const stored = await page.evaluate(() => JSON.stringify({ ...localStorage }));
  assert.match(stored, /TARGET#bob/);
  assert.doesNotMatch(stored, /my-secret-profile|secret|accessKey/i);
  // Another page of the same browser sees them, and what it forgets is gone here.
  const other = await page.context().newPage();
  await other.goto(at());
  await other.getByText("Kept: 1 · sent before: 2").click();
  await other.getByRole("button", { name: /^Forget/ }).click();
  await kept.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Clear" }).click();
  await sent.waitFor({ state: "detached" });
  assert.deepEqual(errors, []);
  await close();
});

test("what is wrong is underlined where it stands, and nothing can be sent", async () => {
  const { page, errors, close } = await openPage(browser);
  await page.goto(at());
  const box = page.getByRole("textbox", { name: "Request" });
  await box.fill('{"TableName":"follow","KeyConditionExpression":"PK = :a AND >> :b","ExpressionAttributeValues":{":a":{"S":"x"}}}');
  await page.getByText('Syntax error; token: ">"').waitFor();
  assert.equal(await page.locator("mark").innerText(), "AND >>");
  assert.equal(await page.getByRole("button", { name: /^Send/ }).count(), 0);
  await picture(page, "build-fault");
  assert.deepEqual(await accessibilityFaults(page), []);
  assert.deepEqual(errors, []);
  await close();
});

test("a guarded update by keys alone: the example, sent from the keyboard, is read back", async () => {
  const { page, errors, close } = await openPage(browser);
  await page.goto(at());
  await page.getByRole("button", { name: "A guarded update" }).click();
  const box = page.getByRole("textbox", { name: "Request" });
  await page.getByRole("button", { name: "Send UpdateItem, which writes" }).waitFor();
  await box.press("Control+Enter");
  await page.getByText("1 item", { exact: true }).waitFor();
  assert.ok(await page.getByRole("columnheader", { name: "seen" }).isVisible());
  assert.deepEqual(errors, []);
  await close();
});

test("a language that cannot say a request says why", async () => {
  const { page, errors, close } = await openPage(browser);
  const put = { TableName: "follow", Item: { PK: { S: "a" }, SK: { S: "b" } } };
  await page.goto(`${at()}?${new URLSearchParams({ q: JSON.stringify(put), lang: "partiql" })}`);
  await page.getByText("This language cannot say it: INSERT refuses an item that is there").waitFor();
  assert.deepEqual(errors, []);
  await close();
});
