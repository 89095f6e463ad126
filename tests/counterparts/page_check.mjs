// Opens a page in Chromium at two widths; prints what went wrong, a JSON line each, and leaves a picture each.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
const puppeteer = createRequire(process.env.NODE_PATH + "/")("puppeteer-core");
const [, , file, out] = process.argv;
const url = pathToFileURL(file).href;
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
});
for (const width of [400, 1400]) {
  const page = await browser.newPage();
  const errors = [], requests = [];
  let alerts = 0;
  page.on("console", (message) => errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("dialog", (dialog) => { alerts += 1; dialog.dismiss(); });
  page.on("request", (request) => { if (request.url() !== url) requests.push(request.url()); });
  await page.setViewport({ width, height: 900 });
  await page.goto(url, { waitUntil: "load" });
  const seen = await page.evaluate(() => {
    document.querySelectorAll("details").forEach((details) => { details.open = true; });
    return {
      overflow: Math.max(0, document.documentElement.scrollWidth - window.innerWidth),
      marks: document.querySelectorAll("mark").length,
    };
  });
  await page.screenshot({ path: `${out}/page-${width}.png`, fullPage: true });
  console.log(JSON.stringify({ width, overflow: seen.overflow, errors, requests, marks: seen.marks, alerts }));
  await page.close();
}
await browser.close();
