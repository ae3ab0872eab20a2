// A browser and a server for the tests. BOTHWAYS names the binary; every test file starts its own of both.

import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { once } from "node:events";
import AxeBuilder from "@axe-core/playwright";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { chromium } from "playwright-core";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const PICTURES = new URL("../../target/screens/", import.meta.url).pathname;
const START_MS = 30_000;
const WAIT_MS = 10_000;

/** Starts a server in memory with the sample data; `url` is its address. */
export async function startServer() {
  const child = spawn(process.env.BOTHWAYS, ["serve", "--memory", "--sample", "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
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

export const openBrowser = () =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: [
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
  await page.addInitScript(() => {
    globalThis.layoutShift = [];
    const place = (r) => `${r.x},${r.y} ${r.width}×${r.height}`;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if (entry.hadRecentInput) continue;
        for (const { node, previousRect, currentRect } of entry.sources) {
          const [from, to] = [place(previousRect), place(currentRect)];
          if (from !== to) globalThis.layoutShift.push(`${node?.className ?? node?.nodeName}: ${from} → ${to}`);
        }
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  return {
    page,
    errors,
    layoutShift: () => page.evaluate(() => globalThis.layoutShift),
    close: () => context.close(),
  };
}

/** What axe finds, as short lines. */
export async function accessibilityFaults(page) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target.join(" ")}: ${n.failureSummary}`));
}

/** Keeps a picture of the page under target/screens. */
export async function picture(page, name) {
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: `${PICTURES}${name}.png` });
}
