import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { atMost, type Finding } from "../line/measurement.ts";
import { longSession, SPANS } from "./long-session.ts";
import { framesText, type Smoothness, tasksText, watchOver } from "./smoothness.ts";
import type { Stage } from "./stage.ts";
import { withLongest } from "./trace.ts";

const LIMIT_MS = 100;
const WHEELS = 200;
const FRAME_MS = 16;
const ROW = `timeline, ${SPANS.toLocaleString("en")} spans`;

/** A session of ten thousand spans: opened, scrolled through from end to end, zoomed. */
export async function timeline(stage: Stage, say: (text: string) => void): Promise<Finding[]> {
  say("a session of ten thousand spans");
  for (const lines of longSession("ten-thousand")) await stage.ask("/api/hooks/ingest", lines);
  const page = await stage.open(`window.usable = probe.untilUsable(".span-line", "", performance.timeOrigin)`);
  await page.goto(`${stage.url}/?view=sessions&session=ten-thousand`);
  await page.locator(".span-line").first().waitFor();
  const first = await page.evaluate<number>("usable");
  const answers = await page.evaluate<readonly (readonly [string, number])[]>("probe.answers()");
  say("scrolling through it");
  const scrolled = await withLongest(stage.browser, page, () => watchOver(page, () => scrollThrough(page, ".feed")));
  say("zooming");
  const zoomed = await withLongest(stage.browser, page, () => watchOver(page, () => zoomInAndOut(page)));
  await page.context().close();
  const plain = await scrollPlain(stage);
  const answer = answers.find(([path]) => path.endsWith("/timeline"))?.[1] ?? Number.NaN;
  return [
    { row: ROW, what: "until it is seen", measured: `${first.toFixed(0)} ms`, beside: `the hub's answer: ${answer.toFixed(0)} ms` },
    smooth("scrolling through all of it", scrolled),
    { row: ROW, what: "the same: frames", measured: framesText(scrolled), beside: `10,000 lines of plain text: ${framesText(plain)}` },
    smooth("zooming in and out", zoomed),
    { row: ROW, what: "the same: frames", measured: framesText(zoomed) },
  ];
}

function smooth(what: string, smoothness: Smoothness & { readonly longestCpuMs: number }): Finding {
  const target = `none over ${LIMIT_MS} ms`;
  const beside = `longest by processor time ${smoothness.longestCpuMs.toFixed(0)} ms`;
  return atMost(LIMIT_MS, smoothness.longest, { row: ROW, what: `${what}: tasks`, measured: tasksText(smoothness), target, beside });
}

async function scrollThrough(page: Page, scroller: string): Promise<void> {
  await page.locator(scroller).hover();
  const height = await page.locator(scroller).evaluate<number, { readonly scrollHeight: number }>((element) => element.scrollHeight);
  const turns: Promise<void>[] = [];
  for (let turn = 0; turn < WHEELS; turn++) {
    turns.push(page.mouse.wheel(0, Math.ceil(height / WHEELS)));
    await sleep(FRAME_MS);
  }
  await Promise.all(turns);
  while (!(await isAtEnd(page, scroller))) await sleep(FRAME_MS);
}

async function zoomInAndOut(page: Page): Promise<void> {
  for (const key of ["+", "l", "-", "h"])
    for (let press = 0; press < 10; press++) {
      await page.keyboard.press(key);
      await frame(page);
    }
}

function isAtEnd(page: Page, scroller: string): Promise<boolean> {
  const element = `document.querySelector("${scroller}")`;
  return page.evaluate<boolean>(`${element}.scrollHeight - ${element}.scrollTop - ${element}.clientHeight < 2`);
}

/** What this browser and this machine make of a page without any script. */
async function scrollPlain(stage: Stage): Promise<Smoothness> {
  const page = await stage.open();
  const lines = Array.from({ length: SPANS }, (_, line) => `${line} tool Bash npm test`).join("\n");
  await page.setContent(`<pre id="plain" style="height: 600px; overflow: auto">${lines}</pre>`);
  const smoothness = await watchOver(page, () => scrollThrough(page, "#plain"));
  await page.context().close();
  return smoothness;
}

async function frame(page: Page): Promise<void> {
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => resolve()))");
}
