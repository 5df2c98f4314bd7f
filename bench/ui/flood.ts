import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { atMost, type Finding } from "../line/measurement.ts";
import { cpuText, framesText, heapOf, type Smoothness, tasksText, watchOver } from "./smoothness.ts";
import type { Stage } from "./stage.ts";
import { withLongest } from "./trace.ts";

const PER_SECOND = 1_000;
const SHORT_S = 6;
const LIMIT_MS = 100;
/** What may be added to the heap between the first look and the last, of which the rows that are kept grow no more. */
const MAX_GROWTH_MB = 3;
const ROW = `${PER_SECOND.toLocaleString("en")} events/s`;

interface Flooded extends Smoothness {
  readonly sent: number;
  /** Megabytes, after each of the looks. */
  readonly heaps: readonly number[];
  readonly elements: number;
}

/** A thousand events a second come by the line while the page shows them. */
export async function flood(stage: Stage, seconds: number, say: (text: string) => void): Promise<Finding[]> {
  const rush = async (page: Page, duration: number, looks: readonly number[] = []): Promise<Flooded> => {
    const heaps: number[] = [];
    let sent = 0;
    const smoothness = await watchOver(page, async () => {
      const sending = stage.publisher.ask("pace", PER_SECOND, duration);
      const begun = performance.now();
      for (const look of looks) {
        await sleep(look * 1_000 - (performance.now() - begun));
        heaps.push(await heapOf(page));
      }
      sent = await sending;
    });
    return { ...smoothness, sent, heaps, elements: await page.evaluate<number>("document.querySelectorAll('*').length") };
  };
  const live = async (query: string, prepare: (page: Page) => Promise<unknown> = async () => {}): Promise<Page> => {
    const page = await stage.open();
    await page.goto(`${stage.url}/?view=live${query}`);
    await page.locator(".feed-line").first().waitFor();
    await page.getByText("Connected", { exact: true }).waitFor();
    await prepare(page);
    return page;
  };
  const short = async (what: string, query: string, prepare?: (page: Page) => Promise<unknown>): Promise<Finding> => {
    say(what);
    const page = await live(query, prepare);
    const flooded = await withLongest(stage.browser, page, () => rush(page, SHORT_S));
    await page.context().close();
    const beside = `longest by processor time ${flooded.longestCpuMs.toFixed(0)} ms; ${framesText(flooded)}; thread ${cpuText(flooded)}`;
    return taskFinding(`${what}, ${SHORT_S} s: tasks`, flooded, beside);
  };

  say(`the live view, ${seconds} s, and an empty page beside it`);
  const blank = await stage.open();
  await blank.goto("about:blank");
  const page = await live("");
  const running = rush(page, seconds, [seconds / 6, seconds / 2, seconds]);
  const empty = await watchOver(blank, () => running);
  const main = await running;
  const missed = main.sent - (await countOf(page, main.sent));
  const isLast = await showsLast(stage, page);
  for (const opened of [page, blank]) await opened.context().close();
  return [
    ...mainFindings(main, { missed, isLast, seconds, empty }),
    await short("newest last", "", (opened) => opened.keyboard.press("o")),
    await short("with a filter", "&session=session-3"),
    await short("an event open beside it", "", (opened) => opened.locator(".feed-line").nth(5).click()),
    await short("scrolled away from the newest", "", scrollAway),
    await short("paused", "", (opened) => opened.keyboard.press("p")),
  ];
}

interface Around {
  readonly missed: number;
  readonly isLast: boolean;
  readonly seconds: number;
  readonly empty: Smoothness;
}

function mainFindings(main: Flooded, { missed, isLast, seconds, empty }: Around): Finding[] {
  const { heaps, sent, elements } = main;
  const growth = (heaps.at(-1) ?? Number.NaN) - (heaps[0] ?? Number.NaN);
  return [
    taskFinding(`Live, ${seconds} s: tasks`, main, `an empty page meanwhile: ${tasksText(empty)}`),
    { row: ROW, what: "frames", measured: framesText(main), beside: `an empty page meanwhile: ${framesText(empty)}` },
    {
      row: ROW,
      what: "processor time of the page's thread",
      measured: cpuText(main),
      beside: `an empty page meanwhile: ${cpuText(empty)}`,
    },
    atMost(MAX_GROWTH_MB, growth, {
      row: ROW,
      what: `JavaScript heap after ${[seconds / 6, seconds / 2, seconds].map((at) => at.toFixed(0)).join(", ")} s`,
      measured: `${heaps.map((size) => size.toFixed(1)).join(", ")} MB`,
      target: `grows by at most ${MAX_GROWTH_MB} MB`,
      beside: `${elements} elements`,
    }),
    atMost(0, isLast ? Math.abs(missed) : Number.POSITIVE_INFINITY, {
      row: ROW,
      what: "events the page did not see",
      measured: `${missed} of ${sent.toLocaleString("en")}; the hub's last is ${isLast ? "" : "not "}the first row`,
      target: "0, and the last is shown",
    }),
  ];
}

function taskFinding(what: string, smoothness: Smoothness, beside: string): Finding {
  return atMost(LIMIT_MS, smoothness.longest, {
    row: ROW,
    what,
    measured: tasksText(smoothness),
    target: `none over ${LIMIT_MS} ms`,
    beside,
  });
}

/** What the page says has come since it was opened, when that is all of it or nothing more comes. */
async function countOf(page: Page, wanted: number): Promise<number> {
  let count = 0;
  for (let tries = 0; tries < 50 && count !== wanted; tries++) {
    await sleep(100);
    count = Number(((await page.locator(".feed-count").textContent()) ?? "").replace(/\D/g, ""));
  }
  return count;
}

async function showsLast(stage: Stage, page: Page): Promise<boolean> {
  const { events } = await stage.ask<{ readonly events: readonly { readonly id: string }[] }>("/api/events?limit=1");
  await page.locator(".feed-line").first().click();
  return new URL(page.url()).searchParams.get("id") === events[0]?.id;
}

async function scrollAway(page: Page): Promise<void> {
  await page.locator(".feed").hover();
  await page.mouse.wheel(0, 2_000);
}
