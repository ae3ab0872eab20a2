// A large table: first rows at once, a scroll over 200 pages that stays light, a Scan that stops when it is told to.
// BOTHWAYS_ROWS is the number of items; the campaign's is a million.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CreateTableCommand, DescribeTableCommand, GetItemCommand } from "@aws-sdk/client-dynamodb";
import { busy, openBrowser, openPage, startServer } from "./bench.mjs";

const CAMPAIGN = process.env.BOTHWAYS_ROWS !== undefined;
/** The goal is 1.2; one run and the next differ by 0.07, so that the campaign alone holds it to the goal. */
const HEAP_GROWTH = CAMPAIGN ? 1.2 : 1.3;
const ROWS = Number(process.env.BOTHWAYS_ROWS ?? 42_000);
const FIRST_ROWS_MS = 300;
const FIRST_CONTENT_MS = 1000;
const CANCELLED_MS = 100;
const TASK_MS = 50;
const TRACED = ["disabled-by-default-devtools.timeline", "devtools.timeline", "blink.user_timing"];
/** Between the pages of a Scan that is to be stopped: on a fast machine it would be over before. */
const SCAN_PAUSE_MS = 600;
const ROW_ELEMENTS = 200;
/** Rows of one page of the grid, and the pages at which the heap is looked at. */
const PAGE_ROWS = 200;
const [EARLY_PAGE, LATE_PAGE] = [20, 200];
/** Items of one BatchWriteItem. Source: API Reference, BatchWriteItem. */
const BATCH = 25;
const WRITERS = 8;
/** Openings, the best of which counts: the others say how busy the machine was. */
const OPENINGS = 5;

let server;
let browser;
before(async () => {
  [server, browser] = await Promise.all([startServer(), openBrowser()]);
  await fill();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const at = (search) => `${server.url}/c/local/tables/readings?${new URLSearchParams(search)}`;
const keyOf = (n) => ({ PK: { S: `DEVICE#${n % 1000}` }, SK: { S: `AT#${String(n).padStart(8, "0")}` } });

/** The table, written by a few connections at once and without the SDK: a million items are to be there soon. */
async function fill() {
  const attribute = (AttributeName) => ({ AttributeName, AttributeType: "S" });
  await server.sdk.send(
    new CreateTableCommand({
      TableName: "readings",
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [attribute("PK"), attribute("SK")],
      KeySchema: [
        { AttributeName: "PK", KeyType: "HASH" },
        { AttributeName: "SK", KeyType: "RANGE" },
      ],
    }),
  );
  const item = (n) => ({
    ...keyOf(n),
    readAt: { N: String(1_718_900_000 + n) },
    value: { N: `${n % 97}.${n % 10}` },
    tags: { SS: [`t${n % 7}`, `u${n % 11}`] },
    place: { M: { room: { S: `R${n % 50}` }, floor: { N: String(n % 9) } } },
    note: { S: `reading ${n} of the device` },
  });
  let next = 0;
  const write = async () => {
    while (next < ROWS) {
      const from = next;
      next += BATCH;
      const puts = Array.from({ length: Math.min(BATCH, ROWS - from) }, (_, i) => ({ PutRequest: { Item: item(from + i) } }));
      const answer = await fetch(`${server.url}/api/v1/c/local/request`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ operation: "BatchWriteItem", input: { RequestItems: { readings: puts } } }),
      });
      assert.equal(answer.status, 200, await answer.text());
    }
  };
  const started = Date.now();
  await Promise.all(Array.from({ length: WRITERS }, write));
  console.log(`${ROWS} items in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  const { Item } = await server.sdk.send(new GetItemCommand({ TableName: "readings", Key: keyOf(ROWS - 1) }));
  assert.deepEqual(Item, item(ROWS - 1));
}

/** Notes when the first row is drawn, counted from where the page began or from the last press. */
const watchFirstRow = (page) =>
  page.addInitScript(() => {
    let from = 0;
    addEventListener("click", () => (from = performance.now()), true);
    globalThis.firstRow = new Promise((resolve) => {
      const look = () => {
        if (document.querySelector('[role=row][aria-rowindex="2"] [data-leading]')?.textContent)
          // The frame after the one that has it: it is drawn.
          return requestAnimationFrame(() => resolve(performance.now() - from));
        requestAnimationFrame(look);
      };
      look();
    });
  });

const best = (name, times) => {
  console.log(`${name}: ${times.map((ms) => ms.toFixed(0)).join(", ")} ms`);
  return Math.min(...times);
};

test(`the first rows of ${ROWS} items are there within ${FIRST_ROWS_MS} ms`, async () => {
  const [cold, asked] = [[], []];
  for (let n = 0; n < OPENINGS; n += 1) {
    const { page, errors, close } = await openPage(browser);
    await watchFirstRow(page);
    await page.goto(at({ scan: "1" }));
    cold.push(await page.evaluate(() => globalThis.firstRow));
    await page.goto(at({}));
    await page.getByRole("button", { name: "Scan", exact: true }).first().click();
    asked.push(await page.evaluate(() => globalThis.firstRow));
    assert.deepEqual(errors, []);
    await close();
  }
  const wait = busy();
  assert.ok(best("from an empty window, application included", cold) < FIRST_CONTENT_MS * wait);
  assert.ok(best("from the press on Scan", asked) < FIRST_ROWS_MS * wait);
});

/** Scrolls from where the grid is to a row, half a page of rows a frame, and waits where rows are still to come. */
const scrollTo = (page, row) =>
  page.getByRole("grid").evaluate(
    (pane, [to, rows]) =>
      new Promise((resolve) => {
        const height = pane.querySelector("[role=row]").getBoundingClientRect().height;
        let [frames, most] = [0, 0];
        const started = performance.now();
        performance.mark("scroll starts");
        const step = () => {
          frames += 1;
          most = Math.max(most, document.querySelectorAll("[role=row]").length);
          if (pane.scrollTop >= to * height) {
            performance.mark("scroll ends");
            return resolve({ frames, most, ms: performance.now() - started });
          }
          pane.scrollBy(0, height * rows);
          requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
      }),
    [row, PAGE_ROWS / 2],
  );

/** The longest task of the page's main thread during a traced scroll: by the processor's time, by the clock, and what was in it. */
function longestTask(trace) {
  const { traceEvents } = JSON.parse(trace);
  const main = traceEvents.find((e) => e.name === "thread_name" && e.args.name === "CrRendererMain");
  const own = traceEvents.filter((e) => e.pid === main.pid && e.tid === main.tid);
  const at = (mark) => own.find((e) => e.name === mark).ts;
  const [from, to] = [at("scroll starts"), at("scroll ends")];
  const timed = own.filter((e) => e.ph === "X" && e.ts > from && e.ts + e.dur < to);
  const tasks = timed.filter((e) => e.name === "RunTask");
  assert.ok(tasks.length > LATE_PAGE, `${tasks.length} tasks seen`);
  const longest = tasks.reduce((a, b) => (b.tdur > a.tdur ? b : a));
  const inside = timed
    .filter((e) => e.ts > longest.ts && e.ts + e.dur <= longest.ts + longest.dur && e.tdur > 2000)
    .map((e) => `${e.name} ${(e.tdur / 1000).toFixed(0)}`);
  const clock = Math.max(...tasks.map((e) => e.dur));
  return { processor: longest.tdur / 1000, clock: clock / 1000, inside: [...new Set(inside)].slice(0, 12).join(", ") };
}

test(`a scroll over ${LATE_PAGE} pages makes no long task, holds few rows, and its heap stays`, async () => {
  const { page, errors, close } = await openPage(browser);
  await page.goto(at({ scan: "1" }));
  await page.getByText(`${PAGE_ROWS} rows loaded`).waitFor();
  const cdp = await page.context().newCDPSession(page);
  // At rest: a page that is just arriving, and what is only now let go, are no growth.
  const heap = async () => {
    await page.locator("[role=grid][aria-busy=false]").waitFor();
    const looks = [];
    for (let n = 0; n < 4; n += 1) {
      await cdp.send("HeapProfiler.collectGarbage");
      looks.push((await cdp.send("Runtime.getHeapUsage")).usedSize);
      await page.waitForTimeout(500);
    }
    return Math.min(...looks);
  };
  const first = await scrollTo(page, EARLY_PAGE * PAGE_ROWS);
  const early = await heap();
  await browser.startTracing(page, { categories: TRACED });
  const second = await scrollTo(page, (LATE_PAGE - 1) * PAGE_ROWS);
  const task = longestTask(await browser.stopTracing());
  const late = await heap();
  const most = Math.max(first.most, second.most);
  const rate = (1000 * second.frames) / second.ms;
  console.log(
    `${rate.toFixed(0)} frames a second; longest task ${task.processor.toFixed(1)} ms of processor, ` +
      `${task.clock.toFixed(1)} ms by the clock; ${most} rows at most; ` +
      `heap ${(early / 1e6).toFixed(1)} MB at page ${EARLY_PAGE}, ${(late / 1e6).toFixed(1)} MB at page ${LATE_PAGE}; in that task: ${task.inside}`,
  );
  assert.ok(most < ROW_ELEMENTS, `${most} rows`);
  assert.ok(late < early * HEAP_GROWTH, "the heap stays");
  // The clock counts what others do. The processor's time is the page's own, yet twice as long where two processors share a
  // core and its cache: the campaign holds it to the goal, and this to twice as much.
  assert.ok(task.processor < (CAMPAIGN ? 1 : 2) * TASK_MS * Math.min(2, busy()), "no long task");
  assert.deepEqual(errors, []);
  await close();
});

test("a Scan that finds nothing in all of it is stopped at once, and asks for nothing more", async () => {
  const { page, errors, close } = await openPage(browser);
  const sent = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/request") && request.postDataJSON().operation === "Scan") sent.push(request);
  });
  await page.route("**/api/v1/c/local/request", async (route) => {
    if (route.request().postDataJSON().operation === "Scan") await new Promise((go) => setTimeout(go, SCAN_PAUSE_MS));
    await route.continue().catch(() => undefined);
  });
  await page.goto(at({ scan: "1", filter: JSON.stringify([["absent", "=", "S", "x"]]) }));
  const cancel = page.getByRole("button", { name: "Cancel" });
  await cancel.waitFor();
  const took = await cancel.evaluate(
    (button) =>
      new Promise((resolve) => {
        const started = performance.now();
        new MutationObserver((_, observer) => {
          if (!/Cancelled after/.test(document.body.textContent)) return;
          observer.disconnect();
          resolve(performance.now() - started);
        }).observe(document.body, { childList: true, subtree: true, characterData: true });
        button.click();
      }),
  );
  const then = sent.length;
  console.log(`cancelled ${took.toFixed(0)} ms after the press, with ${then} pages asked for`);
  assert.ok(took < CANCELLED_MS * busy());
  await page.waitForTimeout(2 * SCAN_PAUSE_MS);
  assert.equal(sent.length, then, "nothing more is asked for");
  const { Table } = await server.sdk.send(new DescribeTableCommand({ TableName: "readings" }));
  assert.equal(Table.ItemCount, ROWS);
  assert.deepEqual(errors, []);
  await close();
});
