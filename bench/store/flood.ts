import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { atMost, type Finding, type Measurement } from "../line/measurement.ts";
import type { HubMethods } from "../line/processes/hub.ts";
import type { PublisherMethods } from "../line/processes/publisher.ts";
import { lineOf } from "../line/workload.ts";

const LIMIT_MB = 200;
const SECONDS = 30;
const LARGE_CHARS = 4_000_000;
const SENDERS = 2;
const PROBES_PER_SECOND = 50;
const MAX_LAG_MS = 250;
const MAX_SIZE = 1.2;

/** Events of 4 MB as fast as the hub takes them, into a store that holds 50 of them, beside an agent whose events are watched. */
export const flood: Measurement = {
  name: "flood",
  async run(sandbox, say) {
    sandbox.configure({ "hookline.toml": `[retention]\nmaxBytes = "${LIMIT_MB}MB"\n` });
    const hub = await sandbox.start<HubMethods>("hub");
    const agent = await sandbox.start<PublisherMethods>("publisher");
    const { file, operator } = await hub.ask("info");
    await agent.ask("attached");
    const stop = new AbortController();
    const lags: number[] = [];
    const watching = watch(`${file.url}/api/stream?source=bench-publisher`, operator, {
      signal: stop.signal,
      onLag: (ms) => void lags.push(ms),
    });
    const store = join(sandbox.folder, "state", "hookline", "events.db");
    let largest = 0;
    const look = setInterval(() => {
      largest = Math.max(largest, sizeOf(store) + sizeOf(`${store}-wal`));
    }, 5);
    const end = performance.now() + SECONDS * 1_000;
    const senders = Array.from({ length: SENDERS }, (_, index) => send(file, `flood${index}`, end));
    say(`${SECONDS} s of events of 4 MB`);
    await agent.ask("pace", PROBES_PER_SECOND, SECONDS);
    const sent = (await Promise.all(senders)).reduce((sum, count) => sum + count, 0);
    await sleep(500);
    clearInterval(look);
    stop.abort();
    await watching;
    return findings({ sent, largest, lags: lags.sort((a, b) => a - b) });
  },
};

interface Seen {
  readonly sent: number;
  readonly largest: number;
  readonly lags: readonly number[];
}

function findings({ sent, largest, lags }: Seen): Finding[] {
  const row = `flood of 4 MB events, store limited to ${LIMIT_MB} MB`;
  const size = largest / (LIMIT_MB * 1_024 * 1_024);
  const at = (share: number): number => lags[Math.min(lags.length - 1, Math.floor(lags.length * share))] ?? Number.POSITIVE_INFINITY;
  const passed = (sent * LARGE_CHARS) / (LIMIT_MB * 1_024 * 1_024);
  return [
    atMost(MAX_SIZE, passed > 2 ? size : Number.POSITIVE_INFINITY, {
      row,
      what: "largest size of the store's files",
      measured: `${size.toFixed(2)}× the limit`,
      target: `at most ${MAX_SIZE}×`,
      beside: `${sent} events, ${passed.toFixed(1)}× the limit`,
    }),
    atMost(MAX_LAG_MS, at(0.99), {
      row,
      what: "a reader of the stream behind another agent, p99",
      measured: `${at(0.99).toFixed(0)} ms`,
      target: `at most ${MAX_LAG_MS} ms`,
      beside: `p50 ${at(0.5).toFixed(0)} ms, most ${at(1).toFixed(0)} ms, ${lags.length} events`,
    }),
  ];
}

async function send(file: { readonly url: string; readonly token: string }, run: string, end: number): Promise<number> {
  let sent = 0;
  const filler = "0123456789abcdef ".repeat(LARGE_CHARS / 17);
  while (performance.now() < end) {
    const line = lineOf(sent, { run });
    const body = `${line.slice(0, -1)},"more":"${filler}"}\n`;
    const answer = await fetch(`${file.url}/api/hooks/ingest`, {
      method: "POST",
      headers: { authorization: `Bearer ${file.token}`, "content-type": "application/x-ndjson" },
      body,
    });
    const text = await answer.text();
    if (answer.ok) sent++;
    else if (answer.status !== 429) throw new Error(`The hub answered ${answer.status}: ${text.slice(0, 200)}`);
    else await sleep(20);
  }
  return sent;
}

interface WatchOptions {
  readonly signal: AbortSignal;
  readonly onLag: (ms: number) => void;
}

async function watch(url: string, token: string, { signal, onLag }: WatchOptions): Promise<void> {
  try {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` }, signal });
    let rest = "";
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) {
      const text = rest + decoder.decode(chunk, { stream: true });
      const now = Date.now();
      for (const [, at = ""] of text.slice(0, text.lastIndexOf("\n")).matchAll(/"at":"([^"]{24})"/g)) onLag(now - Date.parse(at));
      rest = text.slice(text.lastIndexOf("\n") + 1);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
