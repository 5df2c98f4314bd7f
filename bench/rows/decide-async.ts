import { createBus } from "@hookline/core";
import { AsyncSeriesBailHook } from "tapable";
import type { Group } from "../group.ts";
import { asynchronousGuards, events, payloads, type ToolEvent } from "../guards.ts";
import type { Contender } from "../measure.ts";

const name = "decide, 5 asynchronous guards";
const peer = "tapable AsyncSeriesBailHook";

/** A gate whose guards return promises; ours watch a deadline for each, the peer does not. */
export function decideAsync(): Group {
  const contenders = [
    byHandle("hookline, handle"),
    byName(),
    byHandle("hookline, handle, timeoutMs: 0", { timeoutMs: 0 }),
    tapable(),
    bareLoop(),
  ];
  return {
    rows: [{ name, checksum: 1, contenders }],
    targets: ["hookline, handle", "hookline, by name"].map((contender) => ({ kind: "at most", row: name, contender, peer, limit: 1 })),
  };
}

function openBus(options: { timeoutMs?: number }) {
  const bus = createBus({ source: "bench" });
  for (const guard of asynchronousGuards) bus.on("tool:before", guard, options);
  return bus;
}

function byHandle(name: string, options: { timeoutMs?: number } = {}): Contender {
  const handle = openBus(options).event("tool:before");
  return {
    name,
    role: "ours",
    async run(iterations) {
      let passed = 0;
      for (let i = 0; i < iterations; i++) if ((await handle.decide(payloads[i & 7] as (typeof payloads)[0])).allowed) passed++;
      return passed;
    },
  };
}

function byName(): Contender {
  const bus = openBus({});
  return {
    name: "hookline, by name",
    role: "ours",
    async run(iterations) {
      let passed = 0;
      for (let i = 0; i < iterations; i++) if ((await bus.decide("tool:before", payloads[i & 7] as (typeof payloads)[0])).allowed) passed++;
      return passed;
    },
  };
}

function tapable(): Contender {
  const hook = new AsyncSeriesBailHook<[ToolEvent], unknown>(["event"]);
  asynchronousGuards.forEach((guard, index) => {
    hook.tapPromise(`guard ${index}`, guard);
  });
  return {
    name: peer,
    role: "peer",
    async run(iterations) {
      let passed = 0;
      for (let i = 0; i < iterations; i++) if ((await hook.promise(events[i & 7] as ToolEvent)) === undefined) passed++;
      return passed;
    },
  };
}

function bareLoop(): Contender {
  return {
    name: "loop with try/catch",
    role: "reference",
    async run(iterations) {
      let passed = 0;
      for (let i = 0; i < iterations; i++) if ((await firstAnswer(events[i & 7] as ToolEvent)) === undefined) passed++;
      return passed;
    },
  };
}

async function firstAnswer(event: ToolEvent): Promise<unknown> {
  for (let i = 0; i < asynchronousGuards.length; i++) {
    try {
      const answer = await asynchronousGuards[i]?.(event);
      if (answer !== undefined) return answer;
    } catch (error) {
      return error;
    }
  }
  return undefined;
}
