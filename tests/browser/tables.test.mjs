// The tables screen against the real server: read by Query and Scan, edit in place, review, commit, move, undo.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  CreateTableCommand,
  DescribeTableCommand,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
} from "@aws-sdk/client-dynamodb";
import { accessibilityFaults, openBrowser, openPage, picture, pictures, startServer } from "./bench.mjs";

let server;
let browser;
before(async () => {
  [server, browser] = await Promise.all([startServer(), openBrowser()]);
  await makeGrades();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const odd = { PK: { S: "a,b#c/日本語" }, SK: { S: "x,y" } };
const values = {
  exact: { N: "12345678901234567890123456789012345678" },
  numbers: { NS: ["1", "2.5"] },
  picture: { B: new Uint8Array([0, 1, 2, 255]) },
  tree: { M: { list: { L: [{ S: "first" }, { N: "2" }] } } },
  note: { S: "before" },
};

async function stored(TableName, Key) {
  const { Item } = await server.sdk.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
  return Item;
}

/** A roster by an index that copies only keys. */
async function makeGrades() {
  await server.sdk.send(
    new CreateTableCommand({
      TableName: "grades",
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: ["PK", "SK", "GSI1PK", "GSI1SK"].map((AttributeName) => ({
        AttributeName,
        AttributeType: "S",
      })),
      KeySchema: [
        { AttributeName: "PK", KeyType: "HASH" },
        { AttributeName: "SK", KeyType: "RANGE" },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: "byCourse",
          KeySchema: [
            { AttributeName: "GSI1PK", KeyType: "HASH" },
            { AttributeName: "GSI1SK", KeyType: "RANGE" },
          ],
          Projection: { ProjectionType: "KEYS_ONLY" },
        },
      ],
    }),
  );
  for (const [student, grade] of [
    ["ada", "B"],
    ["bo", "C"],
    ["cy", "A"],
  ]) {
    const keys = { PK: `STU#${student}`, SK: "CRS#math", GSI1PK: "CRS#math", GSI1SK: `STU#${student}` };
    const Item = Object.fromEntries(Object.entries(keys).map(([name, S]) => [name, { S }]));
    await server.sdk.send(new PutItemCommand({ TableName: "grades", Item: { ...Item, grade: { S: grade } } }));
  }
}

const at = (path, search = {}) => {
  const query = new URLSearchParams(search).toString();
  return `${server.url}/c/local/tables${path}${query === "" ? "" : `?${query}`}`;
};
const row = (page, name) => page.getByRole("row", { name });
/** Opens a row in the inspector. */
const openRow = async (page, name) => {
  await row(page, name).getByRole("button").first().click();
  await page.getByRole("complementary", { name: "Item" }).waitFor();
};
const cellOf = async (page, name, column) => {
  const heads = await page.getByRole("columnheader").allInnerTexts();
  const place = heads.findIndex((head) => head.trim() === column);
  assert.ok(place > 0, `${column} is a column`);
  return row(page, name).getByRole("gridcell").nth(place);
};
async function commit(page, n) {
  await page.getByRole("button", { name: "Commit" }).click();
  await page.getByText(n === 1 ? "1 change committed" : `${n} changes committed`).waitFor();
}
/** Nothing shifted, nothing failed, axe finds nothing. */
async function sound({ page, errors, layoutShift }) {
  assert.deepEqual(await accessibilityFaults(page), []);
  assert.deepEqual(await layoutShift(), []);
  assert.deepEqual(errors, []);
}

test("before a table is opened the screen says what opening costs; each tab is named after what it shows", async () => {
  const { page, close } = await openPage(browser);
  for (const [path, title] of [
    ["/c/local/tables", "Tables · Bothways"],
    ["/c/local/tables/follow?index=GSI1&pk=TARGET%23bob", "TARGET#bob · GSI1 · follow · Tables · Bothways"],
    ["/c/local/both/follow/follows?s=alice&t=bob", "alice → bob · follows · Bothways"],
    ["/c/local/both/follow/follows?view=node&e=actor&n=bob", "bob · Node · Bothways"],
    ["/c/local/model/school", "school · Model · Bothways"],
    ["/c/local/checks/school?tab=pitfalls", "school · Pitfalls · Checks · Bothways"],
    ["/c/local/heat?table=follow", "follow · Heat · Bothways"],
  ]) {
    await page.goto(`${server.url}${path}`);
    await page.waitForFunction((wanted) => document.title === wanted, title);
    if (path !== "/c/local/tables") continue;
    await page.getByText("Opening one reads no item and takes no units").waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    await picture(page, "tables-choose-light");
  }
  await close();
});

test("Home after a far scroll shows the first row at once and is on it, with one request", async () => {
  const { page, errors, close } = await openPage(browser);
  await page.goto(at("/school", { scan: "1" }));
  const grid = page.getByRole("grid");
  const first = await grid.getByRole("row", { name: /\S/ }).nth(1).innerText();
  // To the end of what is loaded until pages at the start were let go.
  await grid.focus();
  const held = page.getByText(/^4,[2-9]\d\d rows loaded/).first();
  for (let pages = 0; pages < 60 && !(await held.isVisible()); pages++) {
    await page.keyboard.press("End");
    await page.waitForTimeout(100);
    await page.waitForFunction(() => document.querySelector("[role=grid]").getAttribute("aria-busy") === "false");
  }
  await held.waitFor();
  let sent = 0;
  page.on("request", (request) => request.url().endsWith("/request") && sent++);
  await page.keyboard.press("Home");
  await page.waitForFunction(() => document.querySelector("[role=grid]").getAttribute("aria-activedescendant") === "cell-0-1");
  await page.locator("#cell-0-1[data-active]").waitFor();
  assert.equal(await grid.getByRole("row", { name: /\S/ }).nth(1).innerText(), first);
  assert.equal(await grid.evaluate((e) => e.scrollTop), 0);
  assert.ok(await grid.evaluate((e) => e === document.activeElement));
  assert.ok(sent <= 2, `${sent} requests`);
  assert.deepEqual(errors, []);
  await close();
});

test("opening a table reads nothing: it offers its model's reads, and one press runs one", async () => {
  const bench = await openPage(browser);
  const { page, close } = bench;
  await page.goto(at("/school"));
  await page.getByRole("heading", { name: "Reads of school" }).waitFor();
  await page.getByText("0 RCU").first().waitFor();
  assert.equal(await page.getByRole("grid").count(), 0);
  await sound(bench);
  await pictures(page, "tables-reads");
  await page.getByRole("button", { name: "Query: a course's roster" }).click();
  await row(page, /STU#a91/).waitFor();
  assert.match(page.url(), /index=GSI1&pk=CRS%23math204/);
  await page.getByText("0 Scans").waitFor();
  await close();
});

test("a course's roster is read, sorted, and a grade edited in place and committed", async () => {
  const bench = await openPage(browser);
  const { page, close } = bench;
  await page.goto(at("/school", { index: "GSI1", pk: "CRS#phys101", sk: "STU#" }));
  await row(page, /s0001/).first().waitFor();
  await page.getByRole("columnheader", { name: "grade" }).getByRole("button").click();
  await page.getByText("sorted here: 200 loaded").waitFor();
  await page.getByRole("columnheader", { name: "grade" }).getByRole("button").click();
  assert.equal(await page.getByRole("columnheader", { name: "grade" }).getAttribute("aria-sort"), "descending");
  await page.getByRole("columnheader", { name: "grade" }).getByRole("button").click();
  await (await cellOf(page, /s0003/, "grade")).dblclick();
  await page.getByRole("textbox", { name: "grade" }).fill("A+");
  await page.getByRole("textbox", { name: "grade" }).press("Enter");
  await page.getByText("1 staged change").waitFor();
  assert.equal(await row(page, /s0003/).first().getAttribute("data-staged"), "changed");
  await page.keyboard.press("Control+Enter");
  await page.getByText("Changed STU#s0003").waitFor();
  await sound(bench);
  await pictures(page, "tables-staged");
  await commit(page, 1);
  const Key = { PK: { S: "STU#s0003" }, SK: { S: "ENROLL#CRS#phys101" } };
  assert.equal((await stored("school", Key)).grade.S, "A+");
  await close();
});

test("through an index that copies only keys a grade is edited after its item is read", async () => {
  const bench = await openPage(browser);
  const { page, close } = bench;
  await page.goto(at("/grades", { index: "byCourse", pk: "CRS#math" }));
  await row(page, /STU#bo/).waitFor();
  await openRow(page, /STU#bo/);
  await page.getByRole("complementary", { name: "Item" }).getByText("grade", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Edit grade" }).click();
  await page.getByRole("textbox", { name: "grade" }).fill("B");
  await page.getByRole("textbox", { name: "grade" }).press("Enter");
  await page.getByText("1 staged change").waitFor();
  await sound(bench);
  await commit(page, 1);
  const Key = { PK: { S: "STU#bo" }, SK: { S: "CRS#math" } };
  assert.deepEqual((await stored("grades", Key)).grade, { S: "B" });

  // Index keys are edited in the row itself: the item behind it is read first.
  await page.getByRole("button", { name: "Keep" }).click();
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await (await cellOf(page, /STU#bo/, "GSI1SK")).dblclick();
  await page.getByRole("grid").getByRole("textbox", { name: "GSI1SK" }).fill("STU#zo");
  await page.getByRole("grid").getByRole("textbox", { name: "GSI1SK" }).press("Enter");
  await commit(page, 1);
  assert.deepEqual(await stored("grades", Key), {
    ...Key,
    GSI1PK: { S: "CRS#math" },
    GSI1SK: { S: "STU#zo" },
    grade: { S: "B" },
  });
  await close();
});

test("every digit, set, byte and odd key survives an edit, and an undo", async () => {
  await server.sdk.send(new PutItemCommand({ TableName: "follow", Item: { ...odd, ...values } }));
  const bench = await openPage(browser);
  const { page, close } = bench;
  await page.goto(at("/follow", { pk: odd.PK.S }));
  await openRow(page, /日本語/);
  await page.getByRole("complementary", { name: "Item" }).getByText("exact").waitFor();

  await page.getByRole("button", { name: "Edit exact" }).click();
  const number = page.getByRole("textbox", { name: "exact" });
  await number.fill("123456789012345678901234567890123456789");
  await page.getByText("More than 38 significant digits.").waitFor();
  await number.fill("98765432109876543210987654321098765432");
  await number.press("Enter");
  await page.getByRole("button", { name: "Open numbers" }).click();
  await page.getByRole("textbox", { name: "New member of numbers" }).fill("1");
  await page.getByRole("button", { name: "Add to numbers" }).click();
  await page.getByText("A set holds each member once.").waitFor();
  await page.getByRole("textbox", { name: "New member of numbers" }).fill("-7");
  await page.getByRole("button", { name: "Add to numbers" }).click();
  await page.getByRole("button", { name: "Open tree", exact: true }).click();
  await page.getByRole("button", { name: "Open tree.list" }).click();
  await page.getByRole("button", { name: "Edit tree.list[0]" }).click();
  await page.getByRole("textbox", { name: "tree.list[0]" }).fill("日本");
  await page.getByRole("textbox", { name: "tree.list[0]" }).press("Enter");
  await sound(bench);
  await picture(page, "tables-item-light");
  await commit(page, 1);
  const after = await stored("follow", odd);
  assert.equal(after.exact.N, "98765432109876543210987654321098765432");
  assert.deepEqual(new Set(after.numbers.NS), new Set(["1", "2.5", "-7"]));
  assert.deepEqual(after.tree, { M: { list: { L: [{ S: "日本" }, { N: "2" }] } } });
  assert.deepEqual(after.picture, values.picture);
  await page.getByRole("button", { name: "Undo" }).click();
  await commit(page, 1);
  assert.deepEqual(await stored("follow", odd), { ...odd, ...values });
  await close();
});

test("plain JSON is edited as people write it, and DynamoDB JSON as it is stored", async () => {
  const bench = await openPage(browser);
  const { page, close } = bench;
  await page.goto(at("/follow", { pk: odd.PK.S }));
  await openRow(page, /日本語/);
  await page.getByRole("button", { name: "JSON", exact: true }).click();
  const text = page.getByRole("textbox", { name: "Plain JSON" });
  const plain = await text.inputValue();
  assert.match(plain, /"exact": 12345678901234567890123456789012345678,/);
  await text.fill(plain.replace('"before"', '"after", "broken"'));
  await page.getByText(/Line \d+: not JSON\./).waitFor();
  await text.fill(plain.replace('"before"', '"after",\n  "more": [1.50, null]'));
  await page.getByRole("button", { name: "Stage", exact: true }).click();
  await page.getByRole("button", { name: "DynamoDB JSON" }).click();
  const dynamo = page.getByRole("textbox", { name: "DynamoDB JSON" });
  assert.deepEqual(JSON.parse(await dynamo.inputValue()).more, { L: [{ N: "1.50" }, { NULL: true }] });
  await sound(bench);
  await commit(page, 1);
  const now = await stored("follow", odd);
  assert.deepEqual({ ...now, note: values.note, more: undefined }, { ...odd, ...values, more: undefined });
  assert.equal(now.note.S, "after");
  await server.sdk.send(new PutItemCommand({ TableName: "follow", Item: { ...odd, ...values } }));
  await close();
});

test("a changed key moves the item in one transaction, reviewed and undone like any change", async () => {
  const bench = await openPage(browser);
  const { page, close } = bench;
  await page.goto(at("/follow", { pk: odd.PK.S }));
  await row(page, /日本語/).waitFor();
  await (await cellOf(page, /日本語/, "SK")).dblclick();
  await page.getByText("A changed key moves the item").waitFor();
  await page.getByRole("grid").getByRole("textbox", { name: "SK" }).fill("moved/1");
  await page.getByRole("grid").getByRole("textbox", { name: "SK" }).press("Enter");
  await page.keyboard.press("Control+Enter");
  await page.getByText(/^Moved a,b#c\/日本語 · x,y → a,b#c\/日本語 · moved\/1/).waitFor();
  await sound(bench);
  await commit(page, 1);
  assert.equal(await stored("follow", odd), undefined);
  assert.deepEqual(await stored("follow", { ...odd, SK: { S: "moved/1" } }), {
    ...odd,
    ...values,
    SK: { S: "moved/1" },
  });
  await page.getByRole("button", { name: "Undo" }).click();
  await commit(page, 1);
  assert.deepEqual(await stored("follow", odd), { ...odd, ...values });
  await close();
});

test("a conflicting edit from a second page is refused, attribute by attribute, and can be kept over it", async () => {
  const [mine, theirs] = [await openPage(browser), await openPage(browser)];
  const edit = async ({ page }, text) => {
    await page.goto(at("/follow", { pk: odd.PK.S, item: JSON.stringify(Object.entries(odd)) }));
    await page.getByRole("button", { name: "Edit note" }).click();
    await page.getByRole("textbox", { name: "note" }).fill(text);
    await page.getByRole("textbox", { name: "note" }).press("Enter");
    await page.getByText("1 staged change").waitFor();
  };
  await edit(mine, "mine");
  await edit(theirs, "theirs");
  await commit(theirs.page, 1);
  const { page } = mine;
  await page.getByRole("button", { name: "Commit" }).click();
  await page.getByRole("alert").getByText("TransactionCanceledException").waitFor();
  const diff = page.getByRole("table", { name: /Changed elsewhere/ }).getByRole("row", { name: /note/ });
  assert.match(await diff.innerText(), /before[^]*theirs[^]*mine/);
  assert.equal((await stored("follow", odd)).note.S, "theirs");
  await picture(page, "tables-conflict-light");
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole("button", { name: "Keep mine over what is there now" }).click();
  await commit(page, 1);
  assert.equal((await stored("follow", odd)).note.S, "mine");
  assert.deepEqual([...mine.errors, ...theirs.errors], []);
  await mine.close();
  await theirs.close();
});

test("chosen rows are copied as JSON, and their deletion is staged, committed and undone", async () => {
  const bench = await openPage(browser, { permissions: ["clipboard-read", "clipboard-write"] });
  const { page, close } = bench;
  await page.goto(at("/grades", { pk: "STU#ada", index: "" }));
  await page.goto(at("/grades", { scan: "1" }));
  await row(page, /STU#ada/).waitFor();
  await page.getByRole("checkbox", { name: "Choose all loaded rows" }).click();
  await page.getByText("3 rows chosen").waitFor();
  const copied = async (kind) => {
    await page.getByRole("button", { name: kind }).click();
    await page.getByText("Copied").waitFor();
    return JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
  };
  const keys = await copied("Copy keys");
  assert.deepEqual(new Set(keys.map((key) => key.PK.S)), new Set(["STU#ada", "STU#bo", "STU#cy"]));
  const plain = await copied("Copy plain JSON");
  assert.equal(plain.find((item) => item.PK === "STU#cy").grade, "A");
  await picture(page, "tables-chosen-light");
  await page.getByRole("button", { name: "Stage deletion" }).click();
  await page.getByText("3 staged changes").waitFor();
  await sound(bench);
  await commit(page, 3);
  const ada = { PK: { S: "STU#ada" }, SK: { S: "CRS#math" } };
  assert.equal(await stored("grades", ada), undefined);
  await page.getByRole("button", { name: "Undo" }).click();
  await commit(page, 3);
  assert.equal((await stored("grades", ada)).grade.S, "B");
  await close();
});

test("a new item begins with its key, is guarded against one that is there, and can be a copy", async () => {
  const bench = await openPage(browser);
  const { page, close } = bench;
  await page.goto(at("/grades", { pk: "STU#ada" }));
  await openRow(page, /STU#ada/);
  await page.getByRole("button", { name: "Duplicate" }).click();
  await page.getByRole("textbox", { name: "SK S" }).fill("CRS#art");
  await page.getByRole("button", { name: "Stage", exact: true }).click();
  await page.getByText("Staged: new.").waitFor();
  await page.getByRole("button", { name: "Add attribute" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("tags");
  await page.getByRole("textbox", { name: "Name" }).press("Enter");
  await page.getByRole("combobox", { name: "Type of tags" }).selectOption("SS");
  await page.getByRole("textbox", { name: "tags" }).fill("x\ny");
  await page.getByRole("textbox", { name: "tags" }).press("Enter");
  assert.equal(await row(page, /CRS#art/).getAttribute("data-staged"), "new");
  await sound(bench);
  await commit(page, 1);
  const item = await stored("grades", { PK: { S: "STU#ada" }, SK: { S: "CRS#art" } });
  assert.deepEqual([item.grade.S, new Set(item.tags.SS)], ["B", new Set(["x", "y"])]);
  await close();
});

test("the keyboard alone reads, chooses, edits and commits", async () => {
  const { page, close } = await openPage(browser);
  await page.goto(at("/grades", { pk: "STU#cy" }));
  await row(page, /STU#cy/).waitFor();
  await page.getByRole("grid").focus();
  for (let right = 0; right < 2; right += 1) await page.keyboard.press("ArrowRight");
  const active = await page.getByRole("grid").getAttribute("aria-activedescendant");
  assert.match(await page.locator(`#${active}`).innerText(), /CRS#math|STU#cy|A/);
  const heads = await page.getByRole("columnheader").allInnerTexts();
  for (let at = 3; at < heads.findIndex((head) => head.trim() === "grade"); at += 1)
    await page.keyboard.press("ArrowRight");
  await page.keyboard.press("F2");
  await page.getByRole("textbox", { name: "grade" }).waitFor();
  await page.keyboard.type("D");
  await page.keyboard.press("Enter");
  await page.getByText("1 staged change").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("role")), "grid");
  await page.getByRole("button", { name: "Commit" }).press("Enter");
  await page.getByText("1 change committed").waitFor();
  assert.equal((await stored("grades", { PK: { S: "STU#cy" }, SK: { S: "CRS#math" } })).grade.S, "D");
  await close();
});

test("a table is made with its keys and indexes, described, and deleted by its name", async () => {
  const bench = await openPage(browser);
  const { page, close } = bench;
  await page.goto(at(""));
  await page.getByRole("link", { name: "New table" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("made-here");
  await page.getByRole("button", { name: "Add an index" }).click();
  await page.getByRole("combobox", { name: "Projection" }).selectOption("KEYS_ONLY");
  await sound(bench);
  await picture(page, "tables-new-light");
  await page.getByRole("button", { name: "Create table" }).click();
  await page.getByRole("row", { name: /GSI1 GSI GSI1PK S GSI1SK S KEYS_ONLY/ }).waitFor();
  const { Table } = await server.sdk.send(new DescribeTableCommand({ TableName: "made-here" }));
  assert.equal(Table.GlobalSecondaryIndexes[0].Projection.ProjectionType, "KEYS_ONLY");
  await sound(bench);
  await picture(page, "tables-structure-light");
  const remove = page.getByRole("button", { name: "Delete table" });
  await remove.click();
  const dialog = page.getByRole("alertdialog");
  await dialog.getByRole("textbox").fill("made-there");
  assert.equal(await dialog.getByRole("button", { name: "Delete table" }).isDisabled(), true);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  assert.equal(await remove.evaluate((el) => el === document.activeElement), true, "focus is back");
  await remove.click();
  await dialog.getByRole("textbox").fill("made-here");
  assert.deepEqual(await accessibilityFaults(page), []);
  await dialog.getByRole("button", { name: "Delete table" }).click();
  await page.getByRole("link", { name: "made-here" }).waitFor({ state: "detached" });
  const { TableNames } = await server.sdk.send(new ListTablesCommand({}));
  assert.equal(TableNames.includes("made-here"), false);
  await close();
});

test("a Scan is asked for, stands in red, and the status bar counts it", async () => {
  const bench = await openPage(browser);
  const { page, close } = bench;
  await page.goto(at("/grades"));
  await page.getByRole("button", { name: "Scan", exact: true }).first().click();
  await page.getByText("Scan on grades").waitFor();
  await page.getByText("1 Scan", { exact: true }).waitFor();
  await sound(bench);
  await close();
});

test("an index is read by Query, downwards from its end, and holds few rows while scrolling", async () => {
  const bench = await openPage(browser);
  const { page, close } = bench;
  await page.goto(at("/follow", { index: "GSI1", pk: "TARGET#star" }));
  await row(page, /fan0001/).waitFor();
  await sound(bench);
  const grid = page.getByRole("grid");
  for (let step = 0; step < 30; step += 1) {
    await grid.evaluate((pane) => pane.scrollBy(0, 2000));
    await page.waitForTimeout(40);
    assert.ok((await page.getByRole("row").count()) < 200);
  }
  await grid.focus();
  await page.goto(at("/follow", { index: "GSI1", pk: "TARGET#star", desc: "1" }));
  await row(page, /fan2500/).waitFor();
  await close();
});

{
  const colorScheme = "dark";
  test(`the screen is sound in the ${colorScheme} theme`, async () => {
    const bench = await openPage(browser, { colorScheme });
    const { page, close } = bench;
    await page.goto(at("/school"));
    await page.getByRole("heading", { name: "Reads of school" }).waitFor();
    await sound(bench);
    await picture(page, `tables-${colorScheme}-reads`);
    const item = JSON.stringify([
      ["PK", { S: "STU#s0005" }],
      ["SK", { S: "ENROLL#CRS#phys101" }],
    ]);
    await page.goto(at("/school", { index: "GSI1", pk: "CRS#phys101", sk: "STU#", item }));
    await row(page, /s0005/).first().waitFor();
    await page.getByRole("complementary", { name: "Item" }).getByText("opId").waitFor();
    await page.getByRole("button", { name: "Delete this item" }).click();
    await page.getByText("1 staged change").waitFor();
    await page.keyboard.press("Control+Enter");
    await sound(bench);
    await picture(page, `tables-${colorScheme}-staged`);
    await page.goto(at("/school", { tab: "structure" }));
    await page.getByRole("row", { name: /GSI1 GSI/ }).waitFor();
    await sound(bench);
    await picture(page, `tables-structure-${colorScheme}`);
    await close();
  });
}
