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

const parts = ["Button primary", "Button plain", "Button quiet", "Value", "ValueEditor", "ValueTree", "Counter", "NamePicker", "Item", "Receipt", "Transaction", "Problem", "Waiting", "Note", "Half", "Card", "QueryBar", "Grid", "Inspector", "Sheet", "ConfirmByName"];
const states = ["rest", "hover", "focus", "chosen", "disabled", "empty", "loading", "error", "long", "digits"];

test("every component stands in every state that it has, and says which it has not", async () => {
  const { page, errors, close } = await openPage(browser);
  await page.goto(`${server.url}/design`);
  await page.getByRole("region", { name: "ConfirmByName", exact: true }).waitFor();
  for (const part of parts) {
    const shown = await page
      .getByRole("region", { name: part, exact: true })
      .locator("[data-state]")
      .evaluateAll((all) => all.map((e) => [e.dataset.state, e.dataset.absent === undefined, e.lastElementChild.getBoundingClientRect().height]));
    assert.deepEqual(shown.map(([state]) => state), states, part);
    assert.ok(shown.some(([, there]) => there), part);
    for (const [state, there, height] of shown) assert.ok(!there || height > 0 || part === "Receipt", `${part}, ${state}`);
  }
  for (const state of states) {
    const there = await page.locator(`[data-state=${state}]:not([data-absent])`).count();
    assert.ok(there > 0, state);
  }
  assert.deepEqual(errors, []);
  await close();
});

test("hover, focus and chosen look other than rest", async () => {
  const { page, close } = await openPage(browser);
  await page.goto(`${server.url}/design`);
  for (const tone of ["primary", "plain", "quiet"]) {
    const region = page.getByRole("region", { name: `Button ${tone}`, exact: true });
    const looks = {};
    for (const state of ["rest", "hover", "focus", "chosen", "disabled"])
      looks[state] = await region.locator(`[data-state=${state}] button`).evaluate((button) => {
        const { color, backgroundColor, borderColor, outlineStyle } = getComputedStyle(button);
        return [color, backgroundColor, borderColor, outlineStyle].join();
      });
    for (const state of ["hover", "focus", "chosen", "disabled"]) assert.notEqual(looks[state], looks.rest, `${tone}, ${state}`);
  }
  await close();
});

/** What reaches over the edge of the cell it is shown in. A grid scrolls what is wider than itself. */
const spilled = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("[data-state]")].flatMap((cell) => {
      const { right } = cell.getBoundingClientRect();
      return [...cell.querySelectorAll("*")]
        .filter((e) => {
          const clip = e.closest("[title], [role=grid], pre, code, textarea, .visually-hidden");
          return !(clip && cell.contains(clip)) && e.getBoundingClientRect().right > right + 1;
        })
        .map((e) => `${cell.dataset.state}: ${e.nodeName} ${e.className} ${e.textContent.slice(0, 30)}`);
    }),
  );

test("the list of a picker opens under its own arrow", async () => {
  const { page, close } = await openPage(browser);
  await page.goto(`${server.url}/design`);
  const cell = page.getByRole("region", { name: "NamePicker" }).locator("[data-state=rest]");
  const [input, arrow] = [await cell.locator("input").boundingBox(), await cell.locator("button").boundingBox()];
  assert.ok(arrow.x >= input.x && arrow.x + arrow.width <= input.x + input.width + 1, "the arrow is in the input");
  await close();
});

for (const [theme, density, locale] of [
  ["light", "compact", "en"],
  ["light", "roomy", "es"],
  ["dark", "compact", "ja"],
  ["dark", "roomy", "zh-Hant"],
  ["light", "compact", "zh-Hant"],
  ["light", "roomy", "ja"],
  ["dark", "compact", "es"],
  ["dark", "roomy", "en"],
])
  test(`components are readable and whole: ${theme}, ${density}, ${locale}`, async () => {
    const { page, errors, close } = await openPage(browser);
    await withSettings(page, { theme, density, locale });
    await page.goto(`${server.url}/design`);
    await page.getByRole("region", { name: "ConfirmByName" }).waitFor();
    await page.waitForTimeout(300);
    await picture(page, `design-${theme}-${density}-${locale}`);
    assert.deepEqual(await clipped(page), []);
    assert.deepEqual(await spilled(page), []);
    assert.equal(await overflow(page), 0);
    // A page of components shows one part twice, and with it its landmark; each stands in the section that names it.
    const twice = ["landmark-unique", "landmark-complementary-is-top-level"];
    // What differs by language is words: one language in each theme is looked at for access.
    if (locale === "en" || (locale === "zh-Hant" && theme === "dark")) assert.deepEqual(await accessibilityFaults(page, twice), []);
    assert.deepEqual(errors, []);
    await close();
  });
