import { createReadStream, readFileSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { atMost, type Finding } from "../line/measurement.ts";
import { heapOf } from "./smoothness.ts";
import type { Stage } from "./stage.ts";

const ROW = "memory";
const WINDOWS = 8;
const REPLAYS = 200;
/** Events of 4 MB that each replay begins with. */
const LARGE = { events: 12, chars: 3_900_000 };
/** What the hub may need more than before: pages on their way, and what the garbage collector has not taken yet. */
const MAX_HUB_MB = 400;
const MAX_PAGE_MB = 10;

/** An export of all events from the dashboard, eight windows, and 200 clients that all missed 4 MB events: neither side grows with any of them. */
export async function memory(stage: Stage, events: number, say: (text: string) => void): Promise<Finding[]> {
  return [...(await exported(stage, events, say)), ...(await windows(stage, say)), await replays(stage, say)];
}

async function exported(stage: Stage, events: number, say: (text: string) => void): Promise<Finding[]> {
  say(`an export of ${events.toLocaleString("en")} events from the dashboard`);
  const page = await stage.open();
  page.setDefaultTimeout(0);
  await page.goto(`${stage.url}/?view=live`);
  await page.locator(".feed-line").first().waitFor();
  const heap = await heapOf(page);
  const hub = peakOf(stage.hubPid);
  await page.getByText("Export", { exact: true }).click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "JSONL" }).click()]);
  const path = await download.path();
  const grown = hub.stop();
  const after = await heapOf(page);
  const lines = await linesIn(path);
  const what = `${events.toLocaleString("en")} events, ${(statSync(path).size / 2 ** 20).toFixed(0)} MB as JSONL`;
  await page.context().close();
  return [
    atMost(MAX_HUB_MB, grown, {
      row: ROW,
      what: `${what}: the hub grows by`,
      measured: `${grown.toFixed(0)} MB`,
      target: `${MAX_HUB_MB} MB`,
    }),
    atMost(MAX_PAGE_MB, after - heap, {
      row: ROW,
      what: "the page's heap meanwhile",
      measured: `${heap.toFixed(1)} → ${after.toFixed(1)} MB`,
      target: `grows by at most ${MAX_PAGE_MB} MB`,
    }),
    atMost(0, Math.abs(lines - events), {
      row: ROW,
      what: "events that are not in the file",
      measured: String(events - lines),
      target: "0",
    }),
  ];
}

async function windows(stage: Stage, say: (text: string) => void): Promise<Finding[]> {
  say(`${WINDOWS} windows`);
  const first = await stage.open();
  const pages = [first];
  while (pages.length < WINDOWS) pages.push(await first.context().newPage());
  for (const page of pages) await page.goto(`${stage.url}/?view=live`);
  await pages.at(-1)?.locator(".feed-line").first().waitFor();
  await stage.publisher.ask("pace", 1_000, 3);
  const before = await Promise.all(pages.map(heapOf));
  const hub = peakOf(stage.hubPid);
  await stage.publisher.ask("pace", 1_000, 15);
  const after = await Promise.all(pages.map(heapOf));
  const grown = Math.max(...after.map((size, index) => size - (before[index] ?? 0)));
  const hubGrown = hub.stop();
  await first.context().close();
  const [low, high] = [Math.min(...after), Math.max(...after)].map((size) => size.toFixed(1));
  return [
    atMost(MAX_PAGE_MB, grown, {
      row: ROW,
      what: `${WINDOWS} windows, 15,000 events: the heap of each`,
      measured: `${low}–${high} MB, at most ${grown.toFixed(1)} MB more than before`,
      target: `grows by at most ${MAX_PAGE_MB} MB`,
    }),
    atMost(MAX_HUB_MB, hubGrown, {
      row: ROW,
      what: "the hub meanwhile",
      measured: `${hubGrown.toFixed(0)} MB`,
      target: `${MAX_HUB_MB} MB`,
    }),
  ];
}

async function replays(stage: Stage, say: (text: string) => void): Promise<Finding> {
  say(`${REPLAYS} replays of events of 4 MB`);
  const [{ place = 0 } = {}] = (await stage.ask<{ readonly events: readonly { readonly place?: number }[] }>("/api/events?limit=1")).events;
  for (let index = 0; index < LARGE.events; index++) await stage.ask("/api/hooks/ingest", `${JSON.stringify(largeEvent(index))}\n`);
  const hub = peakOf(stage.hubPid);
  let bytes = 0;
  const clients = await Promise.all(
    Array.from({ length: REPLAYS }, async (_, index) => {
      const client = await stage.stream(place);
      // Every other one reads in small steps, as a slow line does.
      client.on("data", (part: Buffer) => {
        bytes += part.length;
        if (index % 2 === 0) return;
        client.pause();
        setTimeout(() => client.resume(), 20);
      });
      return client;
    }),
  );
  const wanted = (REPLAYS / 2) * LARGE.events * LARGE.chars;
  for (let waited = 0; bytes < wanted && waited < 120; waited++) await sleep(1_000);
  const grown = hub.stop();
  for (const client of clients) client.destroy();
  return atMost(MAX_HUB_MB, bytes < wanted ? Number.POSITIVE_INFINITY : grown, {
    row: ROW,
    what: `${REPLAYS} replays of ${LARGE.events} events of 4 MB at once, half of them slow: the hub grows by`,
    measured: `${grown.toFixed(0)} MB, while ${(bytes / 2 ** 30).toFixed(1)} GB were sent`,
    target: `${MAX_HUB_MB} MB`,
  });
}

function largeEvent(index: number): object {
  const source = { app: "large", host: "bench", pid: 1, instance: "large" };
  const base = { v: 2, id: `large${process.pid}x${index}`, seq: index, at: new Date().toISOString(), event: "agent:step", source };
  return { ...base, payload: { text: `${index} `.repeat(LARGE.chars / 3).slice(0, LARGE.chars) }, hops: ["large"] };
}

/** How far the resident memory of a process rises above what it is now, in megabytes. */
function peakOf(pid: number): { stop(): number } {
  const before = residentOf(pid);
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, residentOf(pid));
  }, 50);
  return {
    stop() {
      clearInterval(timer);
      return most - before;
    },
  };
}

function residentOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? Number.NaN) / 1_024;
}

async function linesIn(path: string): Promise<number> {
  let lines = 0;
  for await (const part of createReadStream(path)) for (const byte of part as Buffer) if (byte === 10) lines++;
  return lines;
}
