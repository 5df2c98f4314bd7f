import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import type { Page } from "playwright-core";
import { startBrowser } from "../../test/support/browser.ts";

const WIDTHS = [1_280, 390];
const DIAGRAMS = ["index", "architecture", "fleet", "mcp", "protocol"];
const TYPES: { readonly [ending: string]: string } = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json",
  ".txt": "text/plain; charset=utf-8",
};

interface Trial {
  readonly command: string;
  readonly rules?: string;
  /** What the playground must say. */
  readonly says: RegExp;
}

const TRIALS: readonly Trial[] = [
  { command: "cd / && rm -rf ~", says: /^deny by no-recursive-delete/ },
  { command: "git push --force", says: /^ask by ask-before-force-push/ },
  { command: "ls", says: /^pass: no rule applies/ },
  {
    command: "npm install left-pad",
    rules: `[[rule]]
name = "safe"
match = "tool.input.command =~ '^npm install'"
do = "modify"
set = { "tool.input.command" = "{value} --ignore-scripts" }`,
    says: /^pass:\nrewritten to: npm install left-pad --ignore-scripts/,
  },
  {
    command: "ls",
    rules: `[[rule]]
name = "x"
do = "sing"`,
    says: /^fault/,
  },
];

/** Opens the built site in a browser: its diagrams, its search and the playground, and pictures of all in a folder. Returns what is wrong. */
export async function lookAtSite(dist: string, folder: string): Promise<readonly string[]> {
  const browser = await startBrowser();
  if (typeof browser === "string") return [browser];
  mkdirSync(folder, { recursive: true });
  const server = createServer(({ url = "/" }, answer) => {
    const path = join(dist, normalize(decodeURIComponent(new URL(url, "http://site").pathname)));
    const file = [path, `${path}.html`, join(path, "index.html")].find((one) => existsSync(one) && statSync(one).isFile());
    answer.writeHead(file === undefined ? 404 : 200, { "Content-Type": TYPES[extname(file ?? "")] ?? "application/octet-stream" });
    answer.end(file === undefined ? "" : readFileSync(file));
  }).listen(0, "127.0.0.1");
  const faults: string[] = [];
  try {
    const page = await browser.newPage({ reducedMotion: "reduce" });
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    page.on("pageerror", (error) => faults.push(`${page.url()}: ${error.message}`));
    page.on("request", (request) => {
      if (!request.url().startsWith(address)) faults.push(`${page.url()}: asks ${request.url()}`);
    });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      const shoot = (name: string) => page.screenshot({ path: join(folder, `${name}-${width}.png`) });
      for (const name of DIAGRAMS) {
        await page.goto(`${address}/${name}.html`);
        faults.push(...(await diagramFaults(page, name)));
        await page.locator("pre.mermaid").first().scrollIntoViewIfNeeded();
        await shoot(`diagram-${name}`);
      }
      faults.push(...(await tryPlayground(page, `${address}/playground.html`)));
      await shoot("playground");
      await page.goto(`${address}/how-to.html`);
      await shoot("how-to");
      if (!(await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")))
        faults.push(`how-to: wider than ${width} px`);
    }
    await page.setViewportSize({ width: WIDTHS[0] as number, height: 800 });
    await page.locator(".VPNavBarSearch button").first().click();
    await page.locator("#localsearch-input").fill("slack message");
    await page.locator(".results .result").first().waitFor();
    await page.screenshot({ path: join(folder, "search.png") });
  } finally {
    await browser.close();
    server.close();
  }
  return faults;
}

async function diagramFaults(page: Page, name: string): Promise<readonly string[]> {
  await page.locator("pre.mermaid svg").first().waitFor();
  const drawn = await page.locator("pre.mermaid").count();
  const isDrawn = `document.querySelectorAll("pre.mermaid > svg").length === ${drawn}`;
  await page.waitForFunction(isDrawn);
  const text = (await page.locator("pre.mermaid").allTextContents()).join();
  return /Syntax error/.test(text) ? [`${name}: a diagram has a syntax error`] : [];
}

async function tryPlayground(page: Page, address: string): Promise<readonly string[]> {
  await page.goto(address);
  const faults: string[] = [];
  const output = page.locator("output");
  for (const { command, rules, says } of TRIALS) {
    if (rules !== undefined) await page.locator("#rules").fill(rules);
    await page.locator("#command").fill(command);
    await page
      .waitForFunction(`new RegExp(${JSON.stringify(says.source)}).test(document.querySelector("output")?.textContent ?? "")`)
      .catch(async () => faults.push(`playground: ${command} gives ${await output.textContent()}, not ${says}`));
  }
  return faults;
}
