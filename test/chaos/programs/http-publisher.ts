// Posts what the oracle says to the hub, each batch until it is acknowledged: http-publisher.ts <PublisherSettings as JSON>
import { openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { encodeEnvelope } from "@hookline/core/sinks";
import { createRandom, progressText, sendingAt } from "../../faults/oracle.ts";
import type { PublisherSettings } from "../../faults/processes.ts";
import { answerWith, sayReady } from "../../faults/programs/answers.ts";

const { name, seed, burst, everyMs, progress = "" } = JSON.parse(process.argv[2] as string) as PublisherSettings;
const hubFile = join(process.env.XDG_STATE_HOME ?? "", "hookline", "hub.json");
const file = openSync(progress, "w", 0o600);
const random = createRandom(seed);
/** Answers that no good batch may get. */
const refusals: string[] = [];
let emitted = 0;
let acked = 0;
let isGoing = false;
let turn: Promise<void> = Promise.resolve();

function linesOf(from: number, to: number): string {
  const lines: string[] = [];
  for (let index = from; index < to; index++) {
    const { event, payload } = sendingAt(name, seed, index);
    const source = { app: name, host: "chaos", pid: process.pid, instance: name };
    const id = `${name}-${String(index).padStart(8, "0")}`;
    const envelope = {
      v: 2,
      id,
      seq: index + 1,
      at: new Date().toISOString(),
      event,
      source,
      session: payload.session,
      payload,
      hops: [name],
    };
    lines.push(encodeEnvelope(envelope as never));
  }
  return lines.join("\n");
}

function publish(count: number): Promise<void> {
  turn = turn.then(async () => {
    const from = emitted;
    emitted += count;
    note();
    const body = linesOf(from, emitted);
    while (!(await post(body))) await new Promise((resolve) => setTimeout(resolve, 50));
    acked = emitted;
    note();
  });
  return turn;
}

function note(): void {
  writeSync(file, progressText(emitted, { acked, dropped: {} }), 0);
}

async function post(body: string): Promise<boolean> {
  try {
    const { url, token } = JSON.parse(readFileSync(hubFile, "utf8")) as { url: string; token: string };
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/x-ndjson" };
    const answer = await fetch(`${url}/api/hooks/ingest`, { method: "POST", headers, body, signal: AbortSignal.timeout(10_000) });
    const text = await answer.text();
    // 401: the token changed after it was read. 429 and 5xx: later.
    if (!answer.ok && answer.status < 500 && ![401, 429].includes(answer.status)) refusals.push(`${answer.status} ${text.slice(0, 200)}`);
    return answer.ok;
  } catch {
    // No hub, or one that ended meanwhile: the same ids again.
    return false;
  }
}

async function publishOn(): Promise<void> {
  for (;;) {
    if (isGoing) await publish(random.between(1, burst * 2));
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

answerWith({
  go() {
    isGoing = true;
  },
  counters: () => ({ emitted, counters: { acked } }),
  async fresh() {
    isGoing = false;
    await turn;
    const index = emitted;
    await publish(1);
    return { index, isFlushed: true };
  },
  async stop() {
    isGoing = false;
    await turn;
    return { emitted, refusals };
  },
});
void publishOn();
sayReady();
