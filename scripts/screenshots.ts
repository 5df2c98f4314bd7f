// Makes docs/screenshots/<view>-<theme>.png: the built dashboard, a real hub, and the work of a few agents.
// With `-- --look <folder>`: every view at 1,280 and 390 px into that folder, and what axe-core finds wrong with each.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { faultsOf } from "../test/support/axe.ts";
import { startBrowser } from "../test/support/browser.ts";
import { type PageHub, startPageHub } from "../test/support/page-hub.ts";
import { askAsAgent, CONFIG, seedWork, send } from "../test/ui/seed.ts";

interface Shot {
  readonly name: string;
  readonly query: string;
  /** What must be there before the picture is taken. */
  readonly shows: string;
  readonly click?: string;
  readonly scrollTo?: string;
}

const SHOTS: readonly Shot[] = [
  { name: "live", query: "?view=live", shows: ".feed-line" },
  { name: "event", query: "?view=live&event=tool:*&source=web-agent", shows: ".trail", click: ".feed-line.is-deny" },
  { name: "approvals", query: "?view=approvals", shows: ".diff" },
  { name: "sessions", query: "?view=sessions", shows: "tbody tr" },
  { name: "timeline", query: "?view=sessions&session=demo", shows: ".span-asked" },
  { name: "compare", query: "?view=sessions&session=web-agent-1&with=web-agent-2", shows: ".pair" },
  { name: "handlers", query: "?view=handlers", shows: ".section-title:has-text('demo-agent')" },
  { name: "flow", query: "?view=flow", shows: "table >> nth=1" },
  { name: "overview", query: "?view=overview", shows: ".uplot >> nth=1" },
  { name: "transcript", query: "?view=transcript", shows: ".drop" },
];
/** Only to be looked at. */
const LOOKS: readonly Shot[] = [
  { name: "damaged", query: "?view=live&event=custom:note", shows: ".facts .is-damaged", click: ".feed-line" },
  { name: "answers", query: "?view=approvals", shows: ".always table", scrollTo: ".always" },
  { name: "filters", query: "?view=live&event=tool:*&decision=deny", shows: ".save-filter", click: ".chips .link" },
  { name: "usage", query: "?view=overview", shows: "[aria-label='Usage and costs'] tbody tr", scrollTo: "[aria-label='Usage and costs']" },
  { name: "choose", query: "?view=sessions&compare=demo", shows: ".choose-session" },
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
const WIDTHS = [1_280, 390];
const look = process.argv[2] === "--look" ? process.argv[3] : undefined;
const folder = look === undefined ? fileURLToPath(new URL("../docs/screenshots/", import.meta.url)) : `${look}/`;

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
  if (look !== undefined) await seedDamage(hub);
  await answerSome(hub);
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
  for (const kind of look === undefined ? ["light", "dark"] : WIDTHS)
    for (const shot of look === undefined ? SHOTS : [...SHOTS, ...LOOKS]) {
      if (typeof kind === "string") await page.evaluate(`localStorage.setItem("hookline.theme", "${kind}")`);
      else await page.setViewportSize({ width: kind, height: 800 });
      const agent = shot.name === "handlers" || shot.name === "flow" ? await runAgent(hub) : undefined;
      await take(page, `${hub.url}/${shot.query.replace("=demo", `=${demo}`)}`, { ...shot, name: `${shot.name}-${kind}` });
      if (kind === WIDTHS[0]) for (const fault of await faultsOf(page)) console.error(`${shot.name}: ${fault}`);
      await agent?.ended;
    }
  await Promise.all(answerAll(hub, waiting));
}

/** Calls that a person has answered. */
async function answerSome(hub: PageHub): Promise<void> {
  const answers = [
    ["git push origin fix/login", { verdict: "allow", by: "Ann", reason: "My own branch." }],
    ["git push --delete origin release", { verdict: "deny", by: "Ben", reason: "Releases stay." }],
  ] as const;
  for (const [command, answer] of answers) {
    const asked = askAsAgent(hub, command);
    type Waiting = { readonly approvals: readonly { readonly id: string; readonly hash: string }[] };
    for (let done = false; !done; await sleep(50))
      for (const { id, hash } of (await hub.ask<Waiting>("/api/approvals")).approvals) {
        await hub.ask(`/api/approvals/${id}`, { ...answer, hash });
        done = true;
      }
    await asked;
  }
}

/** An event whose text on the disk is not what was stored. */
async function seedDamage(hub: PageHub): Promise<void> {
  await send(hub, { event: "custom:note", payload: { text: "whole" } });
  const database = new DatabaseSync(join(hub.home.state, "events.db"), { timeout: 5_000 });
  database.prepare("UPDATE events SET body = replace(body, 'whole', 'other') WHERE event = 'custom:note'").run();
  database.close();
}

/** The scripted agent, as soon as it is connected. */
async function runAgent(hub: PageHub): Promise<{ readonly ended: Promise<unknown> }> {
  const { ended } = hub.home.start("demo");
  while ((await hub.ask<{ readonly sources: readonly unknown[] }>("/api/sources")).sources.length === 0) await sleep(50);
  return { ended };
}

async function take(page: Page, url: string, { name, shows, click, scrollTo }: Shot): Promise<void> {
  await page.goto(url);
  if (click !== undefined) await page.locator(click).first().click();
  await page.locator(shows).first().waitFor();
  if (scrollTo !== undefined) await page.locator(scrollTo).first().scrollIntoViewIfNeeded();
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
