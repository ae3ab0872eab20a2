// A browser and a server for the tests. BOTHWAYS names the binary; every test file starts its own of both.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { availableParallelism, loadavg } from "node:os";
import AxeBuilder from "@axe-core/playwright";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { chromium } from "playwright-core";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const PICTURES = new URL("../../target/screens/", import.meta.url).pathname;
const START_MS = 30_000;
const WAIT_MS = 10_000;
const ANSWER_MS = 4_000;

/** How many want the processor for each there is: on a busy machine everything takes as many times longer. */
export const busy = () => Math.max(1, loadavg()[0] / availableParallelism());

/** Starts a server in memory with the sample data; `url` is its address, `log()` what it printed. */
export async function startServer({ args = [], env = {} } = {}) {
  const child = spawn(process.env.BOTHWAYS, ["serve", "--memory", "--sample", "--port", "0", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  let out = "";
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (log += chunk));
  const url = await new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error("the server did not start")), START_MS);
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    child.stdout.on("data", (chunk) => {
      out += chunk;
      const found = out.match(/http:\/\/\S+/);
      if (found) {
        clearTimeout(late);
        resolve(found[0]);
      }
    });
  });
  return {
    url,
    log: () => log,
    sdk: new DynamoDBClient({
      endpoint: url,
      region: "eu-west-2",
      credentials: { accessKeyId: "local", secretAccessKey: "local" },
      maxAttempts: 1,
    }),
    async stop() {
      child.removeAllListeners("exit");
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

export const openBrowser = (args = []) =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: [
      ...args,
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });

/** A page in its own context that collects script errors and what shifted without being asked to. */
export async function openPage(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-US", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  // The browser forgives half a second after an input; on a busy machine what was asked for may come later.
  await page.addInitScript((answerMs) => {
    globalThis.layoutShift = [];
    let asked = Number.NEGATIVE_INFINITY;
    for (const kind of ["keydown", "pointerdown", "change"])
      addEventListener(kind, () => (asked = performance.now()), true);
    const place = (r) => `${r.x},${r.y} ${r.width}×${r.height}`;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if (entry.hadRecentInput || entry.startTime - asked < answerMs) continue;
        for (const { node, previousRect, currentRect } of entry.sources) {
          const [from, to] = [place(previousRect), place(currentRect)];
          if (from !== to) globalThis.layoutShift.push(`${node?.className ?? node?.nodeName}: ${from} → ${to}`);
        }
      }
    }).observe({ type: "layout-shift", buffered: true });
  }, ANSWER_MS);
  return {
    page,
    errors,
    layoutShift: () => page.evaluate(() => globalThis.layoutShift),
    /** Nothing may have moved by itself, whatever the test was about. */
    async close() {
      const shifts = await page.evaluate(() => globalThis.layoutShift ?? []);
      await context.close();
      assert.deepEqual(shifts, []);
    },
  };
}

/** Opens an address with settings, up to its heading. */
export async function openAt(browser, url, settings = {}) {
  const opened = await openPage(browser);
  await withSettings(opened.page, settings);
  await opened.page.goto(url);
  await opened.page.getByRole("heading", { level: 1 }).waitFor();
  return opened;
}

/** Closes a page on which nothing is too wide, out of reach, broken or moved by itself. */
export async function well({ page, errors, close }) {
  assert.equal(await overflow(page), 0);
  assert.deepEqual(await accessibilityFaults(page), []);
  assert.deepEqual(errors, []);
  await close();
}

/** Finds secrets in a text: each as it is, in Base64, and as URLs and JSON write it. */
export function leaksOf(secrets) {
  const forms = Object.values(secrets).flatMap((secret) => [
    secret,
    Buffer.from(secret).toString("base64").replace(/=+$/, ""),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
  ]);
  return (name, text) => forms.filter((form) => text.includes(form)).map((form) => `${name}: ${form}`);
}

/** Sets what the pages keep in the browser, before they open. */
export const withSettings = (page, settings) =>
  page.addInitScript((kept) => {
    const known = JSON.parse(localStorage.getItem("bothways.settings") ?? '{"state":{},"version":1}');
    localStorage.setItem("bothways.settings", JSON.stringify({ ...known, state: { ...known.state, ...kept } }));
  }, settings);

/** Words that their box cuts off. Data may be cut, and then says the whole in its title. */
export const clipped = (page) =>
  page.evaluate(() => {
    const cuts = (style) => [style.overflowX, style.overflowY].some((o) => o === "hidden" || o === "clip");
    return [...document.querySelectorAll("body *")].flatMap((element) => {
      const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim() !== "");
      const style = getComputedStyle(element);
      if (!own || !cuts(style) || style.clipPath !== "none" || element.closest("[title], .visually-hidden, select, code, svg")) return [];
      const over = element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 2;
      return over ? [`${element.className || element.nodeName}: ${element.textContent.slice(0, 60)}`] : [];
    });
  });

/** How far the page and its content are wider than the window. */
export const overflow = (page) =>
  page.evaluate(() => {
    const main = document.querySelector("main");
    return document.documentElement.scrollWidth - window.innerWidth + (main.scrollWidth - main.clientWidth);
  });

/** Waits until nothing fades or moves any more: halfway between two colours no contrast is what was designed. */
export const settled = (page) =>
  page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter((animation) => animation.effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY)
        .map((animation) => animation.finished),
    ).then(() => undefined),
  );

/** What axe finds, as short lines; `except` names rules that a page has a reason to break. */
export async function accessibilityFaults(page, except = []) {
  await settled(page);
  const { violations } = await new AxeBuilder({ page }).disableRules(except).analyze();
  return violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target.join(" ")}: ${n.failureSummary}`));
}

/** Keeps a picture of the page under target/screens. */
export async function picture(page, name) {
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: `${PICTURES}${name}.png` });
}

/** The same in both themes and at double density; the page is left as it was. */
export async function pictures(page, name) {
  mkdirSync(PICTURES, { recursive: true });
  const wear = (theme) =>
    page.evaluate((next) => {
      const { dataset } = document.documentElement;
      const worn = dataset.theme;
      dataset.theme = next;
      return worn;
    }, theme);
  const screen = await page.context().newCDPSession(page);
  const clip = { x: 0, y: 0, ...page.viewportSize(), scale: 2 };
  const worn = await wear("light");
  for (const theme of ["light", "dark"]) {
    await wear(theme);
    await settled(page);
    const { data } = await screen.send("Page.captureScreenshot", { clip });
    writeFileSync(`${PICTURES}${name}-${theme}.png`, data, "base64");
  }
  await wear(worn);
  await screen.detach();
}

/** Answers a request as the database refuses one. */
export const refuse = (route, code, more = {}) =>
  route.fulfill({ status: 400, json: { code, message: `what the database says about ${code}`, ...more } });

/**
 * Opens a screen, runs a body on it, and then asks for no script error, no shift, no word cut off and no fault of access.
 * `ground` gives the server and the browser.
 */
export const onScreen = (ground) => async (path, body, options) => {
  const { server, browser } = ground();
  const { page, errors, layoutShift, close } = await openPage(browser, options);
  await body(page, () => page.goto(`${server.url}${path}`));
  assert.equal(await overflow(page), 0);
  assert.deepEqual(await clipped(page), []);
  assert.deepEqual(await accessibilityFaults(page), []);
  assert.deepEqual(await layoutShift(), []);
  assert.deepEqual(errors, []);
  await close();
};
