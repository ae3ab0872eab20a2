// The guides: read in four languages, and every command of them run from the page, in a database of the guide's own.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
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

const FIRST = "/c/local/guides/adjacency-list";
const SECOND = "/c/local/guides/students-and-courses";
const open = (path, settings = {}) => openAt(browser, `${server.url}${path}`, settings);
const command = (page, n) => page.getByRole("region", { name: `Command ${n}`, exact: true });
const progress = (page) => page.getByRole("main").getByRole("status");

/** The commands of a guide's file, with what it says that they print. */
function written(name) {
  const text = readFileSync(new URL(`../../docs/guides/${name}.md`, import.meta.url), "utf8");
  const blocks = [...text.matchAll(/```console\n(.*?)```/gs)].map(([, block]) => block);
  return blocks.flatMap((block) => block.split(/^(?=\$ )/m)).filter((part) => part.startsWith("$ "));
}

test("a step runs by its button and by a key, shows what it printed and what it cost, and touches no table of the user", async () => {
  const opened = await open("/guides");
  const { page } = opened;
  await page.waitForURL(`**${FIRST}`);
  await page.getByRole("heading", { name: "The adjacency list" }).waitFor();
  await progress(page).getByText("0 of 21 commands run").waitFor();
  await page.getByRole("button", { name: "Run, command 1", exact: true }).click();
  await progress(page).getByText("1 of 21").waitFor();
  await command(page, 1).getByText(/made a database in guide/).waitFor();
  await page.keyboard.press("n");
  await progress(page).getByText("2 of 21").waitFor();
  // A step that rests on others runs them first. This one is refused, as the guide wants it.
  await page.getByRole("button", { name: "Run up to here, command 4" }).click();
  await progress(page).getByText("4 of 21").waitFor();
  await command(page, 3).getByText("0 items, 1 request, 2 WCU").waitFor();
  await command(page, 4).getByText(/ConditionalCheckFailedException/).waitFor();
  await command(page, 4).getByText(/run just now in .* ms · exit 3/).waitFor();
  await pictures(page, "guides");
  // The sample's own edge is still the only one of its table.
  const sample = await page.request.get(`${server.url}/api/v1/c/local/models/follow/relations/follows/out?node=alice`);
  assert.equal((await sample.json()).edges.length, 2);
  await page.reload();
  await progress(page).getByText("4 of 21").waitFor();
  await page.getByRole("button", { name: "Start over" }).click();
  await progress(page).getByText("0 of 21").waitFor();
  await command(page, 5).getByRole("link", { name: "Open in Build" }).click();
  await page.getByRole("heading", { name: "Build" }).waitFor();
  await well(opened);
});

test("every command of both guides prints in the page what the guide says", async () => {
  for (const [path, name] of [[FIRST, "adjacency-list"], [SECOND, "students-and-courses"]]) {
    const opened = await open(path);
    const { page } = opened;
    const steps = written(name);
    page.setDefaultTimeout(60_000);
    await page.getByRole("button", { name: `Run up to here, command ${steps.length}` }).click();
    await progress(page).getByText(`${steps.length} of ${steps.length}`).waitFor();
    // What twenty commands print comes for as long as they run.
    await page.evaluate(() => (globalThis.layoutShift = []));
    // Times, jobs' names and how often a job looked differ from run to run.
    const steady = (text) => text.split("\n").filter((line) => line.trim() !== "" && !/ ms\b|rows\/s|job |JOBS/.test(line)).map((line) => line.trimEnd());
    for (const [at, step] of steps.entries()) {
      const [line, ...rest] = step.split("\n");
      const shown = await command(page, at + 1).locator("pre").allInnerTexts();
      // A cascade waits for writers that had begun: how often it looks meanwhile depends on the machine.
      if (!line.includes("--cascade")) assert.deepEqual(steady(shown.join("\n")), steady(rest.join("\n")), line);
    }
    await well(opened);
  }
});

test("the guides are in four languages, light and dark, and a narrow page has all of them", async () => {
  const titles = { en: "Students and courses", es: /Estudiantes/, ja: /学生/, "zh-Hant": /學生/ };
  for (const [locale, title] of Object.entries(titles)) {
    const opened = await open(SECOND, { locale, theme: locale === "en" || locale === "ja" ? "dark" : "light" });
    const { page } = opened;
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
    assert.equal(await page.getByRole("article").getAttribute("lang"), locale);
    if (locale === "ja") {
      await page.setViewportSize({ width: 480, height: 800 });
      await page.reload();
      await page.getByRole("heading", { level: 1 }).waitFor();
    }
    await picture(page, `guides-${locale}`);
    await well(opened);
  }
});
