import { HookError } from "@hookline/core";
import { createEnvelopePreparer, createPayloadPreparer, cutForSearch } from "@hookline/core/internal/sinks";
import { type Envelope, encodeEnvelope } from "@hookline/core/sinks";
import { threadProgram } from "../../machine/thread-program.js";
import { createThread } from "./thread.js";
import { weightOf } from "./weight.js";

/** What the thread is asked. */
export interface PreparerRequest {
  readonly kind: "envelope" | "value";
  /** A copy of an object costs the hub less than its JSON: 2 ms instead of 12 for two texts of a megabyte. */
  readonly given?: unknown;
  /** The JSON of what cannot be copied. */
  readonly json?: string;
}

export interface EventPreparer {
  /** The line of an event as it may be stored: without what looks like a secret, within its size. At once, unless the event is heavy. */
  line(envelope: Envelope): string | Promise<string>;
  /** A value as it would be in a stored event. */
  value(value: unknown): Promise<unknown>;
  /** How many were prepared in the hub's own thread, and how many in the other. */
  readonly counts: { here: number; thread: number };
  close(): Promise<void>;
}

/** About 5 ms in the hub's thread, in the worst case. Nothing that a process sends may hold up the questions of others. */
const HEAVY_CHARS = 32 * 1_024;

/** Events of one source leave in the order in which they were given, the light ones behind a heavy one too. */
export function createEventPreparer(onError: (error: HookError) => void): EventPreparer {
  const prepare = createEnvelopePreparer({ onError });
  const prepareValue = createValuePreparer(onError);
  const thread = createThread<PreparerRequest, string>(threadProgram(new URL("./preparer-worker.js", import.meta.url)), failed);
  const last = new Map<string, Promise<unknown>>();
  const counts = { here: 0, thread: 0 };

  function inThread(kind: PreparerRequest["kind"], value: unknown): Promise<string> {
    counts.thread++;
    return thread.ask({ kind, given: value }).catch((error: unknown) => {
      if ((error as Error).name !== "DataCloneError") throw error;
      return thread.ask({ kind, json: JSON.stringify(value) });
    });
  }

  /** Long texts are cut here, because the other thread gets a copy of all that is left. */
  function cutEnvelope(envelope: Envelope): Envelope {
    const { payload, decision } = envelope;
    const cut = { ...envelope, payload: cutForSearch(payload) };
    return decision?.asked === undefined ? cut : { ...cut, decision: { ...decision, asked: cutForSearch(decision.asked) } };
  }

  function inOrder(key: string, work: Promise<string>): Promise<string> {
    const before = last.get(key);
    const done = before === undefined ? work : Promise.all([work, before.catch(() => {})]).then(([line]) => line);
    last.set(key, done);
    const forget = (): void => void (last.get(key) === done && last.delete(key));
    done.then(forget, forget);
    return done;
  }

  return {
    counts,
    line(envelope) {
      const { source, payload, decision } = envelope;
      if (isHeavy([payload, decision])) return inOrder(source.instance, inThread("envelope", cutEnvelope(envelope)));
      counts.here++;
      const line = encodeEnvelope(prepare(envelope).envelope);
      return last.has(source.instance) ? inOrder(source.instance, Promise.resolve(line)) : line;
    },
    async value(value) {
      if (isHeavy(value)) return JSON.parse(await inThread("value", cutForSearch(value, MAX_VALUE_BYTES)));
      counts.here++;
      return prepareValue(value);
    },
    async close() {
      await Promise.allSettled(last.values());
      await thread.close();
    },
  };
}

function isHeavy(value: unknown): boolean {
  return weightOf(value, HEAVY_CHARS) > HEAVY_CHARS;
}

const MAX_VALUE_BYTES = 64 * 1_024;

/** For values that are shown or kept outside of an event. */
export function createValuePreparer(onError: (error: HookError) => void, isCut = false): (value: unknown) => unknown {
  const prepare = createPayloadPreparer({ maxPayloadBytes: MAX_VALUE_BYTES, isCut, onError });
  return (value) => (prepare({ value }).payload as { readonly value?: unknown }).value;
}

function failed(why: string): HookError {
  return new HookError("HL_REDACT_FAILED", `The thread that hides secrets failed, so a large event is not stored: ${why}.`);
}
