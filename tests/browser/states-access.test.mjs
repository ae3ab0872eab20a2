// Every screen in its states: axe finds nothing in either theme, at 200 % zoom nothing is lost, a language 40 % longer than
// English is nowhere cut, no panel stands in a panel; and the focus goes back after every overlay.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
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
const TARGETS = "/c/local/tables/follow?index=GSI1&pk=TARGET%23bob";
const item = JSON.stringify([
  ["PK", { S: "ACTOR#alice" }],
  ["SK", { S: "TARGET#bob" }],
]);
const request = (input) => `/c/local/build?${new URLSearchParams({ q: typeof input === "string" ? input : JSON.stringify(input) })}`;
const list = { TableName: "follow", KeyConditionExpression: "PK = :a", ExpressionAttributeValues: { ":a": { S: "ACTOR#alice" } } };
const press = (nth) => (page) => page.getByRole("main").getByRole("button").nth(nth).click();

/** Runs the sheet of reads to its end. */
async function run(page) {
  await page.locator("form button[type=submit]").click();
  await page.locator("main [role=status] strong").waitFor();
}

/** Address, what is done there, and what then stands on it. Where the language may be any, things are found by their place. */
const screens = {
  "Both, an edge": [HINGE, null, "GSI1PK = TARGET#bob"],
  "Both, no such edge": ["/c/local/both/follow/follows?s=bob&t=alice", null, "PK = ACTOR#bob"],
  "Both, a node": ["/c/local/both/follow/follows?view=node&e=actor&n=bob", null, "RCU"],
  "Both, a side that is closed": ["/c/local/both/school/enrolled?view=node&e=course&n=math204", null, "RCU"],
  "Both, the map": ["/c/local/both/follow/follows?view=map&e=actor&n=star", null, "star"],
  "Both, nothing of that name": ["/c/local/both/absent/follows?s=a&t=b", null, "absent"],
  "Tables, none chosen": ["/c/local/tables", null, "school"],
  "Tables, a new one": ["/c/local/tables?new=1", null, null],
  "Tables, reads to begin with": ["/c/local/tables/follow", null, "follow"],
  "Tables, rows of an index": [TARGETS, null, "ACTOR#dave"],
  "Tables, no rows": ["/c/local/tables/follow?pk=ACTOR%23nobody", null, "RCU"],
  "Tables, an item": [`/c/local/tables/follow?${new URLSearchParams({ pk: "ACTOR#alice", item })}`, null, "edgeType"],
  "Tables, structure": ["/c/local/tables/follow?tab=structure", null, "GSI1SK"],
  "Model, open": ["/c/local/model/follow", null, "GSI1PK = TARGET#{dst}"],
  "Model, its text": ["/c/local/model/follow", press(0), "GSI1PK"],
  "Model, a new one": ["/c/local/model", null, null],
  "Checks, patterns": ["/c/local/checks/follow", null, "GSI1PK = TARGET#{dst}"],
  "Checks, patterns run": ["/c/local/checks/follow", run, "GSI1PK = TARGET#bob"],
  "Checks, counters": ["/c/local/checks/follow?tab=counters", null, null],
  "Checks, pitfalls": ["/c/local/checks/school?tab=pitfalls", null, "DescribeTable"],
  "Build, nothing written": ["/c/local/build", null, null],
  "Build, a request": [request(list), null, "ACTOR#alice"],
  "Build, a fault": [request('{"TableName": follow}'), null, "follow"],
  "Design": ["/design", null, "12345678901234567890123456789012345678"],
};

async function open(page, [path, act, words]) {
  await page.goto(`${server.url}${path}`);
  await page.getByRole("main").locator("h1, h2, [role=alert], [role=row], svg").first().waitFor();
  await act?.(page);
  if (words !== null) await page.getByRole("main").getByText(words).or(page.locator("main [title]", { hasText: words })).first().waitFor();
  await page.waitForTimeout(300);
}

/** Boxes with a whole frame and round corners that stand in another such box. */
const nested = (page) =>
  page.evaluate(() => {
    const panel = getComputedStyle(document.documentElement).getPropertyValue("--radius-panel").trim();
    const isPanel = (element) => {
      const style = getComputedStyle(element);
      const sides = ["Top", "Right", "Bottom", "Left"].every((side) => Number.parseFloat(style[`border${side}Width`]) > 0);
      return sides && style.borderTopLeftRadius === panel;
    };
    return [...document.querySelectorAll("main *")].filter(isPanel).flatMap((element) => {
      for (let up = element.parentElement; up; up = up.parentElement) if (isPanel(up)) return [`${element.className} in ${up.className}`];
      return [];
    });
  });

/** What can be pressed, typed into or chosen and cannot be brought into the window whole in its width. */
const lost = (page) =>
  page.evaluate(() => {
    const controls = document.querySelectorAll("a[href]:not([href='#content']), button, input, select, textarea, [role=option]");
    return [...controls].flatMap((control) => {
      if (control.closest("[inert], [aria-hidden=true], .visually-hidden") || !control.checkVisibility({ visibilityProperty: true })) return [];
      const style = getComputedStyle(control);
      if (style.position === "absolute" && style.clipPath !== "none") return [];
      control.scrollIntoView({ block: "nearest", inline: "nearest" });
      const box = control.getBoundingClientRect();
      const inside = box.left >= -1 && box.top >= -1 && box.left + Math.min(box.width, 24) <= innerWidth + 1 && box.top < innerHeight;
      return box.width === 0 || inside ? [] : [`${control.nodeName} ${control.textContent.slice(0, 40)} ${JSON.stringify(box)}`];
    });
  });

for (const [name, screen] of Object.entries(screens))
  test(`${name}: no fault of access in either theme, no panel in a panel`, async () => {
    const { page, errors, close } = await openPage(browser);
    await open(page, screen);
    // The page of components shows one part twice, and with it its landmark.
    assert.deepEqual(await accessibilityFaults(page, name === "Design" ? ["landmark-unique"] : []), []);
    assert.deepEqual(await nested(page), []);
    await page.evaluate(() => (document.documentElement.dataset.theme = "dark"));
    await page.waitForTimeout(200);
    // What differs by theme is colour.
    const { violations } = await new AxeBuilder({ page }).withRules(["color-contrast", "link-in-text-block"]).analyze();
    assert.deepEqual(violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target}: ${n.failureSummary}`)), []);
    assert.deepEqual(errors, []);
    await close();
  });

test("at 200 % zoom nothing is lost on any screen, and nothing scrolls sideways", async () => {
  const { page, close } = await openPage(browser, { viewport: { width: 640, height: 400 } });
  const faults = {};
  for (const [name, screen] of Object.entries(screens)) {
    await open(page, screen);
    const found = [...(await lost(page)), ...(await clipped(page))];
    const over = await overflow(page);
    if (over !== 0) found.push(`wider than the window by ${over}`);
    if (found.length > 0) faults[name] = found;
  }
  await close();
  assert.deepEqual(faults, {});
});

test("a language 40 % longer than English is cut on no screen", async () => {
  const { page, close } = await openPage(browser);
  await withSettings(page, { locale: "en-XA" });
  const faults = {};
  for (const [name, screen] of Object.entries(screens)) {
    await open(page, screen);
    await page.getByText(/····/).first().waitFor();
    const found = await clipped(page);
    const over = await overflow(page);
    if (over !== 0) found.push(`wider than the window by ${over}`);
    if (found.length > 0) faults[name] = found;
  }
  await close();
  assert.deepEqual(faults, {});
});

test("the focus is back where it was after each overlay of each screen", async () => {
  const { page, close } = await openPage(browser);
  const overlays = [
    [["Control+k"], "dialog"],
    [["?"], "dialog"],
    [["g", "h"], "dialog"],
  ];
  for (const name of ["Both, an edge", "Tables, rows of an index", "Model, open", "Checks, patterns", "Build, nothing written"]) {
    await open(page, screens[name]);
    const here = page.getByRole("navigation").getByRole("link").last();
    await here.focus();
    const before = await page.evaluate(() => document.activeElement.textContent);
    for (const [keys, role] of overlays) {
      for (const key of keys) await page.keyboard.press(key);
      await page.getByRole(role).waitFor();
      await page.waitForFunction(() => document.activeElement?.closest("[role=dialog]"));
      await page.keyboard.press("Escape");
      await page.getByRole(role).waitFor({ state: "detached" });
      await page.waitForFunction((text) => document.activeElement?.textContent === text, before, { timeout: 2000 }).catch(() => {
        throw new Error(`${name}: the focus is not back after ${keys}`);
      });
    }
  }
  await close();
});

test("the focus is back after what asks before it destroys, after a list of names, and after the rail of a narrow window", async () => {
  const { page, close } = await openPage(browser);
  const back = (text) => page.waitForFunction((t) => document.activeElement?.textContent?.includes(t), text);
  await open(page, screens["Tables, structure"]);
  const remove = page.getByRole("button", { name: "Delete table" });
  await remove.press("Enter");
  await page.getByRole("alertdialog").waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.keyboard.press("Escape");
  await page.getByRole("alertdialog").waitFor({ state: "detached" });
  await back("Delete table");

  await open(page, screens["Both, an edge"]);
  const target = page.getByRole("combobox", { name: "Target" });
  await target.focus();
  await page.getByRole("listbox", { name: "Target" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("listbox", { name: "Target" }).waitFor({ state: "detached" });
  await page.waitForFunction(() => document.activeElement?.id === "pick-target");

  await page.setViewportSize({ width: 420, height: 800 });
  await open(page, screens["Both, an edge"]);
  const menu = page.getByRole("button", { name: "Screens" });
  await menu.press("Enter");
  await page.getByRole("dialog", { name: "Screens" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Screens");
  await close();
});

test("nothing floats by and goes away by itself, and only destruction asks", async () => {
  const { page, close } = await openPage(browser);
  await open(page, screens["Both, an edge"]);
  await page.getByRole("button", { name: "Send again" }).click();
  const result = page.getByRole("region", { name: "Result" });
  await result.getByText("Unchanged").waitFor();
  // What an action came to stands in the page, in its place, and stays.
  const floating = await page.evaluate(() =>
    [...document.querySelectorAll("body *")]
      .filter((e) => getComputedStyle(e).position === "fixed" && e.checkVisibility() && e.getBoundingClientRect().height > 0)
      .map((e) => e.className),
  );
  assert.deepEqual(floating, []);
  await page.waitForTimeout(4000);
  assert.ok(await result.getByText("Unchanged").isVisible());
  assert.equal(await page.getByRole("alertdialog").count(), 0);
  await close();
});
