// Every component in every state: both themes, both densities, four languages.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { accessibilityFaults, clipped, openBrowser, openPage, overflow, picture, startServer, withSettings } from "./bench.mjs";

let server;
let browser;
before(async () => {
  [server, browser] = await Promise.all([startServer(), openBrowser()]);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const parts = ["Button", "Value", "ValueEditor", "NamePicker", "Item", "Receipt", "Transaction", "Problem", "Half", "Card"];
const states = ["at rest", "under the pointer", "with focus", "chosen", "disabled", "empty", "loading", "with an error"];

test("every component stands in every state it has", async () => {
  const { page, errors, close } = await openPage(browser);
  await page.goto(`${server.url}/design`);
  for (const part of parts) await page.getByRole("region", { name: part, exact: true }).waitFor();
  for (const state of [...states, "long text", "38 digits"]) await page.getByText(state, { exact: true }).first().waitFor();
  assert.deepEqual(errors, []);
  await close();
});

for (const [theme, density, locale] of [
  ["light", "compact", "en"],
  ["light", "roomy", "es"],
  ["dark", "compact", "ja"],
  ["dark", "roomy", "zh-Hant"],
])
  test(`components are readable and whole: ${theme}, ${density}, ${locale}`, async () => {
    const { page, errors, close } = await openPage(browser);
    await withSettings(page, { theme, density, locale });
    await page.goto(`${server.url}/design`);
    await page.getByRole("region", { name: "Card" }).waitFor();
    await page.waitForTimeout(300);
    await picture(page, `design-${theme}-${density}-${locale}`);
    assert.deepEqual(await clipped(page), []);
    assert.equal(await overflow(page), 0);
    // What differs by language is words: one language in each theme is looked at for access.
    if (locale === "en" || locale === "zh-Hant") assert.deepEqual(await accessibilityFaults(page), []);
    assert.deepEqual(errors, []);
    await close();
  });
