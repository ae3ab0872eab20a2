// What must never happen: a credential in an answer, a log or the browser; a foreign page that can do anything here.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { DynamoDBClient, GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { leaksOf, openBrowser, openPage, startServer } from "./bench.mjs";

const secrets = {
  accessKeyId: "AKIACANARYKEYID00001",
  secretAccessKey: "canary/secret+access/key/0123456789abcdef",
  sessionToken: "canarySessionToken0123456789",
};
const REBOUND = "rebound.example";

let home;
let server;
let browser;
before(async () => {
  home = mkdtempSync(join(tmpdir(), "bothways-canary-"));
  const lines = [
    "[default]",
    `aws_access_key_id = ${secrets.accessKeyId}`,
    `aws_secret_access_key = ${secrets.secretAccessKey}`,
    `aws_session_token = ${secrets.sessionToken}`,
    "region = eu-west-2",
  ];
  writeFileSync(join(home, "credentials"), lines.join("\n"));
  const env = {
    AWS_SHARED_CREDENTIALS_FILE: join(home, "credentials"),
    AWS_ACCESS_KEY_ID: secrets.accessKeyId,
    AWS_SECRET_ACCESS_KEY: secrets.secretAccessKey,
    AWS_SESSION_TOKEN: secrets.sessionToken,
  };
  [server, browser] = await Promise.all([
    startServer({ env }),
    openBrowser([`--host-resolver-rules=MAP ${REBOUND} 127.0.0.1`]),
  ]);
});
after(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(home, { recursive: true, force: true });
});

const leaks = leaksOf(secrets);

test("no answer, no log and nothing stored in the browser holds a credential", async () => {
  const application = new DynamoDBClient({
    endpoint: server.url,
    region: "eu-west-2",
    credentials: secrets,
    maxAttempts: 1,
  });
  const { page, close } = await openPage(browser);
  const bodies = [];
  page.on("response", (response) => {
    const head = JSON.stringify(response.headers());
    bodies.push(response.text().then((body) => [response.url(), `${head}${body}`]).catch(() => [response.url(), head]));
  });
  await page.goto(server.url);
  await page.getByRole("region", { name: "bob is followed by" }).getByText("0.5 RCU").waitFor();
  // A user's own application signs with the credentials, and is refused something, while the pages are open.
  await application.send(new PutItemCommand({ TableName: "follow", Item: { PK: { S: "a" }, SK: { S: "b" } } }));
  await assert.rejects(application.send(new PutItemCommand({ TableName: "absent", Item: { PK: { S: "a" } } })));
  await page.getByRole("button", { name: "Send again" }).click();
  await page.getByRole("region", { name: "Result" }).getByText("Unchanged").waitFor();
  const rail = page.getByRole("navigation", { name: "Screens" });
  for (const screen of await rail.getByRole("list").getByRole("link").all()) {
    await screen.click();
    await page.waitForTimeout(300);
  }
  const stored = await page.evaluate(async () => {
    const databases = await indexedDB.databases();
    const rows = await Promise.all(
      databases.map(
        ({ name }) =>
          new Promise((resolve) => {
            const open = indexedDB.open(name);
            open.onerror = () => resolve([]);
            open.onsuccess = () => {
              const stores = [...open.result.objectStoreNames];
              if (stores.length === 0) return resolve([]);
              const reads = stores.map(
                (store) =>
                  new Promise((done) => {
                    const all = open.result.transaction(store).objectStore(store).getAll();
                    all.onsuccess = () => done(all.result);
                  }),
              );
              return Promise.all(reads).then(resolve);
            };
          }),
      ),
    );
    return JSON.stringify({ local: { ...localStorage }, session: { ...sessionStorage }, cookies: document.cookie, rows });
  });
  const answers = await Promise.all(bodies);
  assert.ok(answers.length > 8);
  assert.deepEqual(
    [
      ...answers.flatMap(([url, body]) => leaks(url, body)),
      ...leaks("stored in the browser", stored),
      ...leaks("cookies", JSON.stringify(await page.context().cookies())),
      ...leaks("log", server.log()),
    ],
    [],
  );
  await close();
});

/** What a hostile page tries; each attempt answers with what it learnt. */
const attempts = (target) => `(async () => {
  const learnt = [];
  const attempt = async (name, act) => {
    try { learnt.push([name, await act()]); } catch { learnt.push([name, null]); }
  };
  const edge = JSON.stringify({ source: "hostile", target: "bob" });
  const link = "${target}/api/v1/c/local/models/follow/relations/follows/link";
  await attempt("read", async () => (await fetch("${target}/api/v1/connections")).text());
  await attempt("write", async () => (await fetch(link, { method: "POST", body: edge })).text());
  await attempt("write unread", async () => (await fetch(link, { method: "POST", body: edge, mode: "no-cors" })).type);
  await attempt("DynamoDB", async () => (await fetch("${target}/", {
    method: "POST", body: "{}", mode: "no-cors", headers: { "content-type": "text/plain" } })).type);
  await attempt("script", () => new Promise((resolve) => {
    const script = document.createElement("script");
    script.src = "${target}/api/v1/connections";
    script.onload = () => resolve("loaded");
    script.onerror = () => resolve(null);
    document.head.append(script);
  }));
  await attempt("frame", () => new Promise((resolve) => {
    const frame = document.createElement("iframe");
    frame.src = "${target}/";
    frame.onload = () => { try { resolve(frame.contentDocument?.title || null); } catch { resolve(null); } };
    document.body.append(frame);
    setTimeout(() => resolve(null), 1000);
  }));
  return learnt;
})()`;

const hostile = async () => {
  const Key = { PK: { S: "ACTOR#hostile" }, SK: { S: "TARGET#bob" } };
  return (await server.sdk.send(new GetItemCommand({ TableName: "follow", Key }))).Item;
};

test("a page of another origin can neither read, write nor frame anything", async () => {
  const other = createServer((_, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<title>hostile</title>"),
  );
  await new Promise((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { page, close } = await openPage(browser);
  await page.goto(`http://127.0.0.1:${other.address().port}/`);
  const learnt = await page.evaluate(attempts(server.url));
  // An opaque answer says nothing: not even whether there was one.
  assert.deepEqual(learnt.filter(([, got]) => got !== null && got !== "opaque"), []);
  assert.equal(await hostile(), undefined);
  await close();
  other.closeAllConnections();
  await new Promise((resolve) => other.close(resolve));
});

test("a name rebound to this machine gets no page, and can neither read nor write", async () => {
  const rebound = server.url.replace("127.0.0.1", REBOUND);
  const { page, close } = await openPage(browser);
  // The hostile page came from the same name and port before the name was rebound.
  await page.route(`${rebound}/hostile`, (route) =>
    route.fulfill({ contentType: "text/html", body: "<title>hostile</title>" }),
  );
  await page.goto(`${rebound}/hostile`);
  const learnt = await page.evaluate(attempts(rebound));
  for (const [name, got] of learnt)
    if (got !== null && got !== "basic") assert.match(got, /Host header/, name);
  assert.equal(await hostile(), undefined);
  await close();
});
