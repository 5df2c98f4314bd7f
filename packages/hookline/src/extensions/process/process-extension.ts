import { type HookError, HookError as HookErrorClass, type HookEvent } from "@hookline/core";
import { compileEventFilter } from "@hookline/core/internal/sinks";
import { readAnswer } from "@hookline/core/internal/wire";
import { callTimeout } from "../call-deadline.js";
import type { HookSpec, OwnedSource, SourceAnswer, SourceHealth, SourceKind } from "../handler-source.js";
import { wholeEvent } from "../whole-event.js";
import { extensionError } from "./failures.js";
import type { ProcessProgram } from "./program.js";
import { ProcessSupervisor } from "./supervisor.js";
import { type ExtensionCounts, ExtensionTally } from "./tally.js";
import { defaultTuning, type Tuning } from "./tuning.js";

export interface ProcessExtensionOptions {
  /** The program, and its hooks. */
  readonly program: ProcessProgram;
  readonly kind?: SourceKind;
  readonly tuning?: Partial<Tuning>;
  /** Translates answers, for runtimes with another dialect. */
  readonly readAnswer?: (answer: SourceAnswer, event: HookEvent, hook?: HookSpec) => SourceAnswer;
  /** Translates event names, for runtimes with other names. */
  readonly nameEvent?: (event: HookEvent, hook?: HookSpec) => string;
}

/** A long-lived child process that answers events. It is spawned at its first event and restarted when it ends. */
export interface ProcessExtension extends OwnedSource {
  /** The current process. */
  readonly pid: number | undefined;
  counts(): ExtensionCounts;
  /** The end of its stderr output. */
  stderr(): string;
  /** Starts it if it is not running, as an event would. */
  start(): Promise<void>;
}

/** The deadline of an answer, and the hook's time limit. */
interface Limit {
  readonly deadline: number;
  readonly limitMs: number;
}

export function createProcessExtension(options: ProcessExtensionOptions): ProcessExtension {
  const tuning = { ...defaultTuning, ...options.tuning };
  const tally = new ExtensionTally();
  const { program } = options;
  const timings = createTimings(program.hooks);
  const supervisor = new ProcessSupervisor(program, tuning, tally);

  async function ask(event: HookEvent, hook: HookSpec | undefined, { timeoutMs, idempotent }: HookTiming): Promise<SourceAnswer> {
    const limit = { deadline: timeoutMs === 0 ? 0 : performance.now() + timeoutMs, limitMs: timeoutMs };
    try {
      return await askOnce(event, hook, limit);
    } catch (error) {
      // The process died during the request. Only an idempotent hook may be asked again.
      if (!idempotent || (error as HookError).failure !== "crash" || (error as HookError).code !== "HL_EXTENSION_CRASHED") throw error;
      return await askOnce(event, hook, limit);
    }
  }

  async function askOnce(event: HookEvent, hook: HookSpec | undefined, { deadline, limitMs }: Limit): Promise<SourceAnswer> {
    const child = supervisor.current ?? (await supervisor.ready());
    const left = deadline === 0 ? 0 : deadline - performance.now();
    const what = `"${event.name}"`;
    if (deadline !== 0 && left <= 0)
      throw extensionError(program.name, "HL_TIMEOUT", `did not start in time to answer ${what} within ${limitMs} ms.`);
    const called = options.nameEvent?.(event, hook) ?? event.name;
    return readAnswer(await child.request("hook.handle", encodeEvent(event, { hook, called, left }), { what, timeoutMs: left, limitMs }));
  }

  return {
    name: program.name,
    kind: options.kind ?? "process",
    hooks: program.hooks,
    ...(program.description !== undefined && { description: program.description }),
    ...(program.path !== undefined && { path: program.path }),
    ...(program.permissions !== undefined && { permissions: program.permissions }),
    get pid() {
      return supervisor.pid;
    },
    async handle(event, hook) {
      const failedBefore = tally.failed;
      try {
        const answer = await ask(event, hook, hook === undefined ? timings(event.name) : timingOf(hook));
        tally.answer(failedBefore);
        return options.readAnswer === undefined ? answer : options.readAnswer(answer, event, hook);
      } catch (error) {
        tally.fail((error instanceof HookErrorClass ? error.failure : undefined) ?? "crash");
        throw error;
      }
    },
    health: (): SourceHealth => ({ state: supervisor.state, restarts: supervisor.restarts }),
    counts: () => tally.counts(),
    stderr: () => supervisor.stderr(),
    async start() {
      await supervisor.ready();
    },
    close: () => supervisor.close(),
  };
}

interface Asking {
  readonly hook: HookSpec | undefined;
  /** The extension's name of the event. */
  readonly called: string;
  /** Milliseconds until the answer is late. */
  readonly left: number;
}

/** The request for an event, as JSON. */
function encodeEvent(event: HookEvent, { hook, called, left }: Asking): string {
  const { id, at, session, payload, value } = wholeEvent(event);
  return JSON.stringify({
    event: called,
    id,
    at,
    hook: hook?.name,
    session,
    deadlineMs: Math.round(left),
    payload,
    value,
  });
}

/** The timing of a request. */
interface HookTiming {
  /** 0 means no limit. */
  readonly timeoutMs: number;
  readonly idempotent: boolean;
}

function timingOf(hook: HookSpec): HookTiming {
  return { timeoutMs: callTimeout(hook), idempotent: hook.idempotent ?? false };
}

/**
 * Finds the timing of an event whose hook is not given: the longest limit of the hooks that match, and idempotent only if all of them are.
 */
function createTimings(hooks: readonly HookSpec[]): (event: string) => HookTiming {
  const rules = hooks.map((hook) => ({ covers: compileEventFilter(hook.event), timing: timingOf(hook) }));
  const known = new Map<string, HookTiming>();
  return (event) => {
    const seen = known.get(event);
    if (seen !== undefined) return seen;
    const timing = merge(rules.filter(({ covers }) => covers(event)).map((rule) => rule.timing));
    // Custom names come from outside, so a cache of all of them would grow without limit.
    if (known.size < 1_000) known.set(event, timing);
    return timing;
  };
}

function merge(timings: readonly HookTiming[]): HookTiming {
  if (timings.length === 0) return timingOf({ event: "*" });
  const waitsForEver = timings.some(({ timeoutMs }) => timeoutMs === 0);
  return {
    timeoutMs: waitsForEver ? 0 : Math.max(...timings.map(({ timeoutMs }) => timeoutMs)),
    idempotent: timings.every(({ idempotent }) => idempotent),
  };
}
