// Packs pictures that the tests made (target/screens) for the README. usage: node pictures.mjs hinge-light hinge-dark …

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { openBrowser } from "./bench.mjs";

const QUALITY = 0.9;
const root = new URL("../../", import.meta.url).pathname;

const browser = await openBrowser();
const page = await browser.newPage();
mkdirSync(`${root}docs/pictures`, { recursive: true });
for (const name of process.argv.slice(2)) {
  const picture = readFileSync(`${root}target/screens/${name}.png`).toString("base64");
  const packed = await page.evaluate(
    async ([data, quality]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [image.width, image.height];
      canvas.getContext("2d").drawImage(image, 0, 0);
      return canvas.toDataURL("image/webp", quality).split(",")[1];
    },
    [picture, QUALITY],
  );
  const bytes = Buffer.from(packed, "base64");
  writeFileSync(`${root}docs/pictures/${name}.webp`, bytes);
  console.log(`${name}.webp  ${Math.round(bytes.length / 1024)} KB`);
}
await browser.close();
