import { createBus } from "@hookline/core";
import type { Group } from "../group.ts";
import { asynchronousGuards, payloads, type ToolEvent } from "../guards.ts";
import type { Contender, Row } from "../measure.ts";

type Handler = (typeof asynchronousGuards)[number];

const guard = asynchronousGuards[0] as Handler;
const watched = "default timeout";
const unwatched = "timeoutMs: 0";

/** What watching the clock adds to one asynchronous handler. */
export function timeout(): Group {
  const rows = [row("emit, 1 asynchronous observer", emitTo), row("decide, 1 asynchronous guard", decideBy)];
  return {
    rows,
    targets: rows.map(({ name }) => ({ kind: "adds", row: name, contender: watched, peer: unwatched, limitNs: 200 })),
  };
}

function row(name: string, open: (handler: Handler, timeoutMs?: number) => Contender["run"]): Row {
  const contenders: Contender[] = [
    { name: watched, role: "ours", run: open(guard) },
    { name: unwatched, role: "reference", run: open(guard, 0) },
    { name: "timeoutMs: 0, a setTimeout each", role: "reference", run: open(racing, 0) },
  ];
  return { name, checksum: 1, contenders };
}

function openBus(handler: Handler, timeoutMs: number | undefined) {
  const bus = createBus({ source: "bench" });
  bus.on("tool:before", handler, timeoutMs === undefined ? {} : { timeoutMs });
  return bus;
}

function emitTo(handler: Handler, timeoutMs?: number): Contender["run"] {
  let calls = 0;
  const counting: Handler = (event) => {
    calls++;
    return handler(event);
  };
  const handle = openBus(counting, timeoutMs).event("tool:before");
  return async (iterations) => {
    const before = calls;
    for (let i = 0; i < iterations; i++) await handle.emit(payloads[i & 7] as ToolEvent["payload"]);
    return calls - before;
  };
}

function decideBy(handler: Handler, timeoutMs?: number): Contender["run"] {
  const handle = openBus(handler, timeoutMs).event("tool:before");
  return async (iterations) => {
    let passed = 0;
    for (let i = 0; i < iterations; i++) if ((await handle.decide(payloads[i & 7] as ToolEvent["payload"])).allowed) passed++;
    return passed;
  };
}

// What people write by hand: the handler races a timer that is cleared when it answers.
async function racing(event: ToolEvent) {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<undefined>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("timeout")), 5000);
  });
  try {
    return await Promise.race([guard(event), expired]);
  } finally {
    clearTimeout(timer);
  }
}
