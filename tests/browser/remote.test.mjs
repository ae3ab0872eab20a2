// A connection to an endpoint elsewhere, signed with credentials: it throttles, its credentials expire, and none of them
// comes into the browser. The endpoint stands in front of a real server and answers in its place when it is told to.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { GetItemCommand } from "@aws-sdk/client-dynamodb";
import { accessibilityFaults, leaksOf, openBrowser, openPage, startServer } from "./bench.mjs";

const secrets = {
  accessKeyId: "AKIACANARYKEYID00002",
  secretAccessKey: "remote/secret+access/key/0123456789abcdef",
  sessionToken: "remoteSessionToken0123456789",
};
const refusals = {
  throttled: ["ProvisionedThroughputExceededException", "The level of configured provisioned throughput is exceeded."],
  expired: ["ExpiredTokenException", "The security token included in the request is expired"],
};
/** The client waits between its tries. */
const PATIENCE_MS = 30_000;

let home;
let endpoint;
let server;
let browser;
/** Which refusal the endpoint answers with; none where it passes requests on. */
let refusal = null;
const authorizations = new Set();

before(async () => {
  endpoint = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    authorizations.add(request.headers.authorization);
    const type = "application/x-amz-json-1.0";
    if (refusal !== null) {
      const [code, message] = refusals[refusal];
      response.writeHead(400, { "content-type": type });
      return response.end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${code}`, message }));
    }
    const headers = Object.fromEntries(
      ["content-type", "x-amz-target", "x-amz-date", "authorization"].map((name) => [name, request.headers[name] ?? ""]),
    );
    const answer = await fetch(server.url, { method: "POST", headers, body });
    response.writeHead(answer.status, { "content-type": type });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise((resolve) => endpoint.listen(0, "127.0.0.1", resolve));
  home = mkdtempSync(join(tmpdir(), "bothways-remote-"));
  const place = [
    "[away]",
    `endpoint = "http://127.0.0.1:${endpoint.address().port}"`,
    'aws = ""',
    'region = "eu-west-2"',
  ];
  writeFileSync(join(home, "profiles.toml"), place.join("\n"));
  const env = {
    BOTHWAYS_PROFILES: join(home, "profiles.toml"),
    AWS_ACCESS_KEY_ID: secrets.accessKeyId,
    AWS_SECRET_ACCESS_KEY: secrets.secretAccessKey,
    AWS_SESSION_TOKEN: secrets.sessionToken,
  };
  [server, browser] = await Promise.all([startServer({ args: ["--connect", "away"], env }), openBrowser()]);
});
after(async () => {
  await browser?.close();
  await server?.stop();
  endpoint?.closeAllConnections();
  await new Promise((resolve) => endpoint.close(resolve));
  rmSync(home, { recursive: true, force: true });
});

const screens = [
  {
    name: "tables",
    path: `/c/away/tables/follow?${new URLSearchParams({ pk: "ACTOR#alice" })}`,
    data: (page) => page.getByRole("row", { name: /PROFILE/ }),
    kept: (page) => page.getByRole("textbox", { name: "PK =" }),
    words: "ACTOR#alice",
  },
  {
    name: "both ways",
    path: "/c/away/both/follow/follows?s=alice&t=bob",
    data: (page) => page.getByRole("region", { name: "bob is followed by" }).getByRole("option", { name: /^dave/ }),
    kept: (page) => page.getByRole("combobox", { name: "Target" }),
    words: "bob",
  },
];

for (const { name, path, data, kept, words } of screens)
  for (const [what, [code, message]] of Object.entries(refusals))
    test(`${name}, ${what} by the endpoint itself: said in its words, kept, and read when asked again`, async () => {
      const { page, errors, close } = await openPage(browser);
      page.setDefaultTimeout(PATIENCE_MS);
      refusal = null;
      await page.goto(`${server.url}${path}`);
      await data(page).waitFor();
      refusal = what;
      await page.goto(`${server.url}${path}`);
      const alert = page.getByRole("alert").filter({ hasText: message }).first();
      await alert.getByText(code).first().waitFor();
      assert.deepEqual(await accessibilityFaults(page), []);
      refusal = null;
      await alert.getByRole("button", { name: "Retry" }).click();
      for (const again of await page.getByRole("alert").getByRole("button", { name: "Retry" }).all())
        await again.click({ timeout: 1000 }).catch(() => undefined);
      await data(page).waitFor();
      assert.equal(await kept(page).inputValue(), words);
      // The bar about the credentials comes in above everything, and moves it: that is meant.
      await page.evaluate(() => {
        globalThis.layoutShift.length = 0;
      });
      const Key = { PK: { S: "ACTOR#alice" }, SK: { S: "TARGET#bob" } };
      const { Item } = await server.sdk.send(new GetItemCommand({ TableName: "follow", Key }));
      assert.equal(Item.edgeType.S, "FOLLOWS");
      assert.deepEqual(errors, []);
      await close();
    });

test("what the credentials sign reaches the endpoint, and no credential the browser or the log", async () => {
  refusal = null;
  const { page, close } = await openPage(browser);
  page.setDefaultTimeout(PATIENCE_MS);
  const bodies = [];
  page.on("response", (response) => {
    const head = JSON.stringify(response.headers());
    bodies.push(response.text().then((body) => [response.url(), `${head}${body}`], () => [response.url(), head]));
  });
  const leaks = leaksOf(secrets);
  for (const { path, data } of screens) {
    await page.goto(`${server.url}${path}`);
    await data(page).waitFor();
  }
  const signed = [...authorizations].filter((header) => header?.includes(secrets.accessKeyId));
  assert.ok(signed.length > 0, "the requests were signed with what is looked for");
  const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage, cookies: document.cookie }));
  const answers = await Promise.all(bodies);
  assert.ok(answers.length > 8);
  assert.deepEqual(
    [
      ...answers.flatMap(([url, body]) => leaks(url, body)),
      ...leaks("stored in the browser", stored),
      ...leaks("log", server.log()),
    ],
    [],
  );
  await close();
});
