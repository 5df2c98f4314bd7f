import { HookError } from "../catalog/errors.js";
import type { ToolCall, ToolPayload, ToolStatus } from "../catalog/payloads.js";
import { isClosed } from "./closed-to.js";
import type { BusCore } from "./core.js";
import { InFlight, unwatch, watchFor } from "./deadlines.js";
import { decide } from "./decide.js";
import type { DecisionRecord } from "./decision.js";
import { asHookError, messageOf } from "./describe-error.js";
import { BusEvent, checkPayload, hasCall } from "./event.js";
import type { Collected } from "./make-whole.js";
import { observeFully } from "./observe.js";
import { refusedRun } from "./refused-run.js";
import { collectEffects } from "./returned-values.js";
import type { Slot } from "./slot.js";
import { transform } from "./transform.js";
import type { Decision, Reminder } from "./types.js";
import { wholeValues } from "./whole-values.js";
import { withheld } from "./withheld.js";

/** Options of `bus.runTool`. */
export interface RunToolOptions {
  /** How long the tool itself may run. No limit without. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /**
   * What becomes of a result that is a stream: an async iterable, a `ReadableStream`, a `Response` or an iterator. `collect` (default) reads it,
   * so that guards of results see it whole. `pass` gives it to you as it is: no guard sees it, and that is recorded.
   */
  readonly stream?: "collect" | "pass";
  /** How much of a stream is read. Default 8 MiB. Of a longer one nothing is passed on. */
  readonly maxStreamBytes?: number;
  /** For how long it is read. Default 30,000; 0 for no limit. */
  readonly streamTimeoutMs?: number;
}

/** What came of a tool call. */
export interface ToolRun<T = unknown> {
  readonly status: ToolStatus;
  /**
   * What the tool returned. The type is the tool's own; a handler of `tool:result` may have put a value of another type in its place, and a
   * stream was read: its text, its bytes, or a list of its pieces.
   */
  readonly output?: T;
  /** The output is a stream that no guard has seen, by the option `stream: "pass"`. */
  readonly isUnguarded?: true;
  readonly error?: unknown;
  readonly decision: Decision<ToolPayload>;
  readonly injections: readonly string[];
  readonly reminders: readonly Reminder[];
  readonly durationMs: number;
}

interface Ending {
  readonly status: ToolStatus;
  readonly output?: unknown;
  readonly error?: unknown;
  readonly isUnguarded?: true;
}

type Read = (output: unknown, signal: AbortSignal) => Collected | Promise<Collected>;
type Run = (input: ToolCall["input"], signal: AbortSignal) => unknown;

/** Never rejects: a payload that cannot be read, a guard that aborts, whatever the tool throws, all end in a status and a `tool:after`. */
export async function runTool(core: BusCore, depth: number, call: ToolPayload, run: Run, options: RunToolOptions): Promise<ToolRun> {
  const decision = await decideOn(core, depth, call, options.signal);
  const payload = (decision as DecisionRecord).judged as ToolPayload;
  const injections = [...decision.injections];
  const reminders = [...decision.reminders];
  const result = core.slot("tool:result");
  const after = core.slot("tool:after");
  const startedAt = performance.now();
  let ending: Ending = decision.allowed
    ? await new Execution(options).of(
        run,
        () => inputOf((decision as DecisionRecord).copy() as ToolPayload, run),
        (output, signal) => (result.isIdle && after.isIdle ? { output } : readOutput(result, options, output, signal)),
      )
    : refusal(decision, options.signal);
  const durationMs = performance.now() - startedAt;
  if (ending.status === "ok" && ending.isUnguarded !== true) {
    const seen = await transform(result, ending.output, withOutcome(payload, ending, durationMs), depth);
    injections.push(...seen.injections);
    reminders.push(...seen.reminders);
    ending = { ...ending, output: seen.value };
  }
  const error = ending.error === undefined ? {} : { error: ending.error };
  const event = new BusEvent(after, { ...withOutcome(payload, ending, durationMs), status: ending.status, ...error }, depth);
  if (!after.isIdle) await observeFully(after, event, collectEffects({ injections }));
  return { ...ending, decision, injections, reminders, durationMs };
}

/** A stream is read to its end, so that guards of results see it whole; one that is too long is not passed on. */
async function readOutput(result: Slot, options: RunToolOptions, output: unknown, signal: AbortSignal): Promise<Collected> {
  if (Object(output) !== output) return { output };
  const read = await (await wholeValues.load()).collectOutput(output as object, options, signal);
  if (!("tooLong" in read)) return read;
  const error = new HookError("HL_STREAM_LIMIT", read.tooLong);
  if (!result.roster.handlers.some(isClosed)) throw error;
  result.core.report(error);
  return { output: withheld(read.tooLong) };
}

async function decideOn(core: BusCore, depth: number, call: ToolPayload, signal: AbortSignal | undefined): Promise<Decision<ToolPayload>> {
  try {
    checkCall(call);
    return (await decide(core.slot("tool:before"), call, depth, signal && { signal })) as Decision<ToolPayload>;
  } catch (error) {
    // A guard registered with `abort` failed: the tool does not run.
    return refusedRun(call, asHookError(error) ?? new HookError("HL_ABORTED", messageOf(error), { cause: error })).decision;
  }
}

function refusal(decision: Decision, signal: AbortSignal | undefined): Ending {
  if (decision.cause?.code === "HL_CANCELLED") return { status: "cancelled", error: signal?.reason };
  return { status: "blocked", error: decision.reason };
}

/** Guards read the fields of the input: text in its place would pass them unseen, and run. */
function checkCall(call: unknown): void {
  if (hasCall(call)) return;
  throw new HookError("HL_BAD_PAYLOAD", "The call given to runTool must have a tool with a name and an input object.", {
    fix: "Pass { tool: { name, input } }.",
    event: "tool:before",
  });
}

function inputOf(payload: ToolPayload, run: unknown): ToolCall["input"] {
  checkCall(payload);
  if (typeof run !== "function")
    throw new HookError("HL_BAD_HANDLER", `runTool was given no function to run the tool "${payload.tool.name}".`);
  return payload.tool.input;
}

/** Without a stream that is passed on: an observer that reads it would take it from the caller. */
function withOutcome(payload: ToolPayload, ending: Ending, durationMs: number): ToolPayload {
  const output = ending.isUnguarded === true ? { isUnguarded: true } : { output: ending.output };
  const outcome = { ...(ending.status === "ok" && output), isError: ending.status !== "ok", durationMs };
  try {
    checkPayload("tool:after", payload);
    return { ...payload, tool: { ...payload.tool, ...outcome } };
  } catch {
    // Not an object, or a getter or Proxy that throws: the observers are told at least that there was a call.
    return { tool: { name: "", input: {}, ...outcome } };
  }
}

/** The tool's own run, ended by its answer, its time limit or the caller, whichever comes first. */
class Execution extends InFlight {
  readonly #controller = new AbortController();
  readonly #options: RunToolOptions;
  #finish: (ending: Ending) => void = () => {};

  constructor(options: RunToolOptions) {
    super(true);
    this.#options = options;
  }

  async of(run: Run, input: () => ToolCall["input"], read: Read): Promise<Ending> {
    const { signal, timeoutMs = 0 } = this.#options;
    const cut = new Promise<Ending>((resolve) => {
      this.#finish = resolve;
    });
    if (signal?.aborted === true) this.#cancel();
    signal?.addEventListener("abort", this.#cancel, { once: true });
    watchFor(this, timeoutMs);
    try {
      return await Promise.race([cut, attempt(async (signal) => read(await run(input(), signal), signal), this.#controller.signal)]);
    } finally {
      unwatch(this);
      signal?.removeEventListener("abort", this.#cancel);
    }
  }

  override expire(): void {
    this.#stop(
      "timeout",
      new HookError("HL_TIMEOUT", `The tool did not finish within ${this.#options.timeoutMs} ms.`, { failure: "timeout" }),
    );
  }

  #cancel = (): void => this.#stop("cancelled", this.#options.signal?.reason);

  #stop(status: ToolStatus, error: unknown): void {
    this.#finish({ status, error });
    this.#controller.abort(error);
  }
}

async function attempt(act: (signal: AbortSignal) => Promise<Collected>, signal: AbortSignal): Promise<Ending> {
  if (signal.aborted) return { status: "cancelled", error: signal.reason };
  try {
    return { status: "ok", ...(await act(signal)) };
  } catch (error) {
    return { status: "error", error };
  }
}
