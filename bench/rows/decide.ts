import { createBus, type Decision } from "@hookline/core";
import { SyncBailHook } from "tapable";
import type { Group } from "../group.ts";
import { events, guards, payloads, type ToolEvent } from "../guards.ts";
import type { Contender } from "../measure.ts";

const name = "decide, 5 synchronous guards";

/** A gate whose guards answer at once. */
export function decide(): Group {
  const [handle, plain] = ["hookline, handle", "hookline, by name"];
  return {
    rows: [{ name, checksum: 1, contenders: [byHandle(), byName(), tapable(), bareLoop()] }],
    targets: [handle, plain].map((contender) => ({ kind: "at most", row: name, contender, peer: "loop with try/catch", limit: 9 })),
  };
}

function openBus() {
  const bus = createBus({ source: "bench" });
  for (const guard of guards) bus.on("tool:before", guard);
  return bus;
}

function byHandle(): Contender {
  const handle = openBus().event("tool:before");
  return {
    name: "hookline, handle",
    role: "ours",
    run(iterations) {
      let passed = 0;
      for (let i = 0; i < iterations; i++) if ((handle.decide(payloads[i & 7] as (typeof payloads)[0]) as Decision).allowed) passed++;
      return passed;
    },
  };
}

function byName(): Contender {
  const bus = openBus();
  return {
    name: "hookline, by name",
    role: "ours",
    run(iterations) {
      let passed = 0;
      for (let i = 0; i < iterations; i++)
        if ((bus.decide("tool:before", payloads[i & 7] as (typeof payloads)[0]) as Decision).allowed) passed++;
      return passed;
    },
  };
}

function tapable(): Contender {
  const hook = new SyncBailHook<[ToolEvent], unknown>(["event"]);
  guards.forEach((guard, index) => {
    hook.tap(`guard ${index}`, guard);
  });
  return {
    name: "tapable SyncBailHook",
    role: "peer",
    run(iterations) {
      let passed = 0;
      for (let i = 0; i < iterations; i++) if (hook.call(events[i & 7] as ToolEvent) === undefined) passed++;
      return passed;
    },
  };
}

function bareLoop(): Contender {
  return {
    name: "loop with try/catch",
    role: "reference",
    run(iterations) {
      let passed = 0;
      for (let i = 0; i < iterations; i++) if (firstAnswer(events[i & 7] as ToolEvent) === undefined) passed++;
      return passed;
    },
  };
}

function firstAnswer(event: ToolEvent): unknown {
  for (let i = 0; i < guards.length; i++) {
    try {
      const answer = guards[i]?.(event);
      if (answer !== undefined) return answer;
    } catch (error) {
      return error;
    }
  }
  return undefined;
}
