import { HookError } from "../catalog/errors.js";
import { resolveEvent } from "../catalog/names.js";
import type { PayloadFor, ToldName } from "../catalog/payloads.js";
import type { Bus } from "./bus.js";
import { checkQueueOptions } from "./options.js";
import { thaw } from "./snapshot.js";

const DEFAULT_MAX = 10_000;

/** Events noted by synchronous code and emitted at a turn boundary. */
export interface EventQueue {
  push<const N extends string>(event: N & ToldName<N>, payload?: PayloadFor<N>): void;
  /** Emits what is queued now, one after the other; what is pushed meanwhile waits for the next drain. Returns how many. */
  drain(): Promise<number>;
  /** Lets go of what is queued without emitting it: of one event, or of all. Returns how many. */
  clear(event?: string): number;
  /** Lets go of the queued `file:edited`. */
  clearFileEdits(): number;
  readonly size: number;
  /** Oldest events let go because the queue was full. */
  readonly dropped: number;
}

/** Makes a queue that synchronous code pushes events to. `drain` emits them, for example at the end of a turn. */
export function createEventQueue(bus: Bus, options: { readonly max?: number } = {}): EventQueue {
  const { max = DEFAULT_MAX } = checkQueueOptions(options);
  let queued: { readonly event: string; readonly payload: unknown }[] = [];
  let dropped = 0;

  function clear(event?: string): number {
    const before = queued.length;
    const name = event === undefined ? undefined : resolveEvent(event).name;
    queued = name === undefined ? [] : queued.filter((entry) => resolveEvent(entry.event).name !== name);
    return before - queued.length;
  }

  return {
    push(event: string, payload?: unknown) {
      resolveEvent(event);
      if (queued.length >= max) {
        queued.shift();
        if (dropped++ === 0) bus.report(new HookError("HL_LIMIT", `An event queue is full (${max}): drain it.`, { event }));
      }
      queued.push({ event, payload: copyOf(payload) });
    },
    async drain() {
      const batch = queued;
      queued = [];
      for (const { event, payload } of batch) await bus.emit(event, payload);
      return batch.length;
    },
    clear,
    clearFileEdits: () => clear("file:edited"),
    get size() {
      return queued.length;
    },
    get dropped() {
      return dropped;
    },
  };
}

/** What the caller changes after `push` does not reach the event. Objects of a class stay as they are, and so does what cannot be read. */
function copyOf(payload: unknown): unknown {
  try {
    return thaw(payload);
  } catch {
    return payload;
  }
}
