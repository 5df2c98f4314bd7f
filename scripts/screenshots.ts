// Makes docs/screenshots/<view>-<theme>.png: the built page, a real hub, and the work of a few agents.
import { mkdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { startBrowser } from "../test/support/browser.ts";
import { type PageHub, startPageHub } from "../test/support/page-hub.ts";
import { askAsAgent, CONFIG, seedWork } from "../test/ui/seed.ts";

interface Shot {
  readonly name: string;
  readonly query: string;
  /** What must be there before the picture is taken. */
  readonly shows: string;
  readonly click?: string;
}

const SHOTS: readonly Shot[] = [
  { name: "live", query: "?view=live", shows: ".feed-line" },
  { name: "event", query: "?view=live&event=tool:*&source=web-agent", shows: ".trail", click: ".feed-line.is-deny" },
  { name: "approvals", query: "?view=approvals", shows: ".diff" },
  { name: "sessions", query: "?view=sessions", shows: "tbody tr" },
  { name: "timeline", query: "?view=sessions&session=demo", shows: ".span-line" },
  { name: "handlers", query: "?view=handlers", shows: ".section-title:has-text('demo-agent')" },
  { name: "flow", query: "?view=flow", shows: "table >> nth=1" },
  { name: "overview", query: "?view=overview", shows: ".uplot >> nth=1" },
  { name: "transcript", query: "?view=transcript", shows: ".drop" },
];
const MORE_CONFIG = `
[[rule]]
name = "time-limit"
event = "tool:before"
match = "tool.input.command contains 'deploy'"
do = "modify"
set = { "tool.input.command" = "timeout 300 {value}" }

[[sink]]
type = "jsonl"
name = "archive"
path = "archive.jsonl"
`;
const SIZE = { width: 1180, height: 720 };
const folder = fileURLToPath(new URL("../docs/screenshots/", import.meta.url));

const browser = await startBrowser();
if (typeof browser === "string") {
  console.error(browser);
  process.exitCode = 1;
} else {
  const hub = await startPageHub(CONFIG + MORE_CONFIG);
  try {
    await takeAll(browser, hub);
  } finally {
    await browser.close();
    await hub.close();
  }
}

async function takeAll(from: Browser, hub: PageHub): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await seedWork(hub, 55);
  const waiting = ["git push origin main && ./deploy.sh production", "git push --force origin main"].map((command) =>
    // A hub that goes away after a failure leaves them without an answer: the failure is what should be seen.
    askAsAgent(hub, command).catch(() => undefined),
  );
  const context = await from.newContext({ locale: "en-GB", reducedMotion: "reduce", viewport: SIZE });
  const page = await context.newPage();
  await page.goto(await hub.link());
  await page.waitForURL(`${hub.url}/`);
  const { sessions } = await hub.ask<{ readonly sessions: readonly { readonly id: string }[] }>("/api/sessions");
  const demo = sessions.find(({ id }) => /^demo-\w+$/.test(id))?.id ?? "";
  for (const theme of ["light", "dark"])
    for (const shot of SHOTS) {
      await page.evaluate(`localStorage.setItem("hookline.theme", "${theme}")`);
      const agent = shot.name === "handlers" || shot.name === "flow" ? await runAgent(hub) : undefined;
      await take(page, `${hub.url}/${shot.query.replace("=demo", `=${demo}`)}`, { ...shot, name: `${shot.name}-${theme}` });
      await agent?.ended;
    }
  await Promise.all(answerAll(hub, waiting));
}

/** The scripted agent, as soon as it is connected. */
async function runAgent(hub: PageHub): Promise<{ readonly ended: Promise<unknown> }> {
  const { ended } = hub.home.start("demo");
  while ((await hub.ask<{ readonly sources: readonly unknown[] }>("/api/sources")).sources.length === 0) await sleep(50);
  return { ended };
}

async function take(page: Page, url: string, { name, shows, click }: Shot): Promise<void> {
  await page.goto(url);
  if (click !== undefined) await page.locator(click).first().click();
  await page.locator(shows).first().waitFor();
  await page.mouse.move(0, 0);
  // Charts and countdowns draw once more when their data is there.
  await page.waitForTimeout(600);
  await page.screenshot({ path: `${folder}${name}.png` });
}

/** Nobody is left waiting. */
function answerAll(hub: PageHub, waiting: readonly Promise<unknown>[]): Promise<unknown>[] {
  const answered = hub
    .ask<{ readonly approvals: readonly { readonly id: string; readonly hash: string }[] }>("/api/approvals")
    .then(({ approvals }) => Promise.all(approvals.map(({ id, hash }) => hub.ask(`/api/approvals/${id}`, { verdict: "deny", hash }))));
  return [answered, ...waiting];
}
