import type { Bus } from "../../bus/bus.js";
import { messageOf } from "../../bus/describe-error.js";
import { joinInjections } from "../../bus/effects.js";
import type { ToolRun } from "../../bus/run-tool.js";
import type { DecideOptions, Decision, Reminder } from "../../bus/types.js";
import { wholeValues } from "../../bus/whole-values.js";
import { HookError } from "../../catalog/errors.js";
import type { AgentRef, BasePayload, SessionRef, ToolInput, ToolPayload, ToolStatus, Usage } from "../../catalog/payloads.js";
import type { ReminderBook } from "../../remind/types.js";

/** What every adapter takes. */
export interface AdapterOptions {
  /** The conversation that the calls belong to. Without it, each adapter object is one conversation. */
  readonly session?: SessionRef;
  readonly agent?: AgentRef;
  /** The book that was given to `createBus({ reminders })`: what it holds is shown to the model before its next step. */
  readonly reminders?: ReminderBook;
}

/** A call as an SDK describes it. */
export interface SdkCall {
  readonly name: string;
  readonly callId?: string | undefined;
  readonly input: unknown;
  /** The MCP server that offers the tool. */
  readonly server?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How a call ended that the SDK itself ran. */
export interface SdkOutcome {
  readonly output?: unknown;
  readonly error?: unknown;
  readonly status?: ToolStatus;
  readonly durationMs?: number | undefined;
}

/** So many texts wait for the model; beyond, the oldest are given up. */
const MAX_NOTES = 1_000;

/** One conversation of an SDK on a bus: asks about calls, reports what happened, and keeps what the model must be told. */
export class AdapterSession {
  readonly bus: Bus;
  /** The session and the agent, for events that an adapter tells itself. */
  readonly base: BasePayload;
  readonly #options: AdapterOptions;
  #notes: string[] = [];

  constructor(bus: Bus, options: AdapterOptions = {}) {
    this.bus = bus;
    this.#options = options;
    const session = options.session ?? { id: crypto.randomUUID() };
    this.base = { session, ...(options.agent && { agent: options.agent }) };
  }

  /** Runs a tool between its hooks. Never rejects. An SDK gives the model what a tool throws, so hooks of the result see that, too. */
  async run(call: SdkCall, execute: (input: unknown, signal: AbortSignal) => unknown): Promise<ToolRun> {
    const run = await this.bus.runTool(
      this.payloadOf(call),
      async (input, signal) => {
        const given = sdkInput(input, call.input);
        try {
          return await this.collected(await execute(given, signal), signal);
        } catch (error) {
          throw await this.seenError({ ...call, input: given }, error);
        }
      },
      call.signal === undefined ? {} : { signal: call.signal },
    );
    this.keep(run.injections, run.reminders);
    return run;
  }

  /** What a tool gave, for hooks of the result, if there are any: a stream is read, so that they see what it throws, too. */
  async collected(output: unknown, signal: AbortSignal = new AbortController().signal): Promise<unknown> {
    if (typeof output !== "object" || output === null || !this.bus.has("tool:result")) return output;
    const read = await (await wholeValues.load()).collectOutput(output, {}, signal);
    if ("tooLong" in read) throw new HookError("HL_STREAM_LIMIT", read.tooLong);
    return read.output;
  }

  /** Decides on a call that the SDK will run. An approver that is given here answers instead of the bus's own. */
  async decide(call: SdkCall, options: DecideOptions = {}): Promise<Decision<ToolPayload>> {
    const decision = await this.bus.decide("tool:before", this.payloadOf(call), {
      ...(call.signal && { signal: call.signal }),
      ...options,
    });
    this.keep(decision.injections, decision.reminders);
    return decision;
  }

  /** Hooks of the result, for a call that the SDK ran. Returns what the model gets. */
  async ended(call: SdkCall, { output, error, status, durationMs }: SdkOutcome): Promise<unknown> {
    const isError = error !== undefined || (status !== undefined && status !== "ok");
    const payload = this.payloadOf(call);
    const tool = { ...payload.tool, isError, ...(isError ? {} : { output }), ...(durationMs !== undefined && { durationMs }) };
    const result = isError ? undefined : await this.bus.transform("tool:result", output, { ...payload, tool });
    if (result !== undefined) this.keep(result.injections, result.reminders);
    const value = result === undefined ? output : result.value;
    await this.bus.emit("tool:after", {
      ...payload,
      tool: isError ? tool : { ...tool, output: value },
      status: status ?? (isError ? "error" : "ok"),
      ...(error !== undefined && { error: messageOf(error) }),
    });
    return value;
  }

  /** The text of a failure after the hooks of the result. Returns what the model gets. */
  async seen(call: SdkCall, output: unknown): Promise<unknown> {
    const payload = this.payloadOf(call);
    const result = await this.bus.transform("tool:result", output, { ...payload, tool: { ...payload.tool, output, isError: true } });
    this.keep(result.injections, result.reminders);
    return result.value;
  }

  /** The error itself if no hook has replaced its text. */
  async seenError(call: SdkCall, error: unknown): Promise<unknown> {
    const text = thrownText(error);
    const value = await this.seen(call, text);
    return value === text ? error : new Error(shownText(value));
  }

  /** A call that a guard denied, or that did not start for another reason. */
  async refused(call: SdkCall, reason: string | undefined): Promise<void> {
    await this.ended(call, { error: reason ?? "denied", status: "blocked" });
  }

  /** Asks about a request to the model. Throws if it is denied: no SDK has another way to stop one. */
  async modelStarts(model?: string, provider?: string): Promise<void> {
    const decision = await this.bus.decide("llm:before", this.#payload({ ...(model && { model }), ...(provider && { provider }) }));
    this.keep(decision.injections, decision.reminders);
    if (!decision.allowed) throw new DeniedError(deniedText(decision.reason));
  }

  async modelEnded(details: {
    readonly model?: string | undefined;
    readonly provider?: string | undefined;
    readonly usage?: Usage;
  }): Promise<void> {
    const { model, provider, usage } = details;
    await this.bus.emit("llm:after", this.#payload({ ...(model && { model }), ...(provider && { provider }), ...(usage && { usage }) }));
  }

  async modelFailed(error: unknown): Promise<void> {
    await this.bus.emit("llm:error", this.#payload({ error: messageOf(error) }));
  }

  async started(): Promise<void> {
    const decision = await this.bus.decide("session:start", this.#payload({}));
    this.keep(decision.injections, decision.reminders);
  }

  async finished(usage?: Usage): Promise<void> {
    await this.bus.emit("session:end", this.#payload(usage === undefined ? {} : { usage }));
  }

  /** What hooks want the model to read before its next step, once; and the reminders that are in force. */
  takeNotes(): string | undefined {
    const { reminders } = this.#options;
    const parts = [...this.#notes, reminders?.render(this.base.session) ?? ""].filter((text) => text !== "");
    this.#notes = [];
    return parts.length === 0 ? undefined : joinInjections({ injections: parts });
  }

  keep(injections: readonly string[], reminders: readonly Reminder[]): void {
    this.#notes.push(...injections);
    // A bus with a book has them already.
    if (this.#options.reminders === undefined) this.#notes.push(...reminders.map(({ spec }) => spec.body));
    // A server that calls no model never takes them.
    this.#notes.splice(0, Math.max(0, this.#notes.length - MAX_NOTES));
  }

  payloadOf({ name, callId, input, server }: SdkCall): ToolPayload {
    const tool = { name, input: toolInput(input), ...(callId !== undefined && { callId }), ...(server !== undefined && { server }) };
    return { ...this.base, tool };
  }

  #payload(fields: object): BasePayload {
    return { ...this.base, ...fields };
  }
}

/** A value that hooks have left, as text for the model. */
/** As SDKs show it to the model: an error by its message, another object as JSON. */
function thrownText(thrown: unknown): string {
  try {
    if (typeof thrown === "object" && !(thrown instanceof Error)) return JSON.stringify(thrown) ?? messageOf(thrown);
  } catch {
    // It cannot be shown as JSON either.
  }
  return messageOf(thrown);
}

export function shownText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Thrown where an SDK learns of a denial by an exception. */
export class DeniedError extends Error {
  override readonly name = "DeniedError";
}

/** What the model reads in place of a result. */
export function deniedText(reason: string | undefined): string {
  return `This call was denied: ${reason ?? "a guard did not allow it"}.`.replace(/([.!?])\.$/, "$1");
}

/** Why a call has no result, for the model. */
export function failureText({ status, error }: Pick<ToolRun, "status" | "error">): string {
  if (status === "blocked") return deniedText(typeof error === "string" ? error : messageOf(error));
  return `The call ended with ${status}: ${messageOf(error)}`;
}

/** An object of an SDK's own class as guards can see it: what it writes as JSON, or its fields. The SDK gets the object itself. */
export async function plainView(value: unknown): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map(plainView));
  if (!isRecord(value)) return value;
  const view = typeof value.toJSON === "function" ? value : { ...value };
  const whole = await (await wholeValues.load()).makeWhole(view);
  return whole.unseen === undefined ? whole.value : view;
}

/** Guards read the fields of an object. Anything else becomes the field `value` of one. */
function toolInput(input: unknown): ToolInput {
  return isRecord(input) ? (input as ToolInput) : { value: input };
}

/** The input as the SDK had it: what `toolInput` wrapped is unwrapped. */
export function sdkInput(input: ToolInput, original: unknown): unknown {
  return isRecord(original) ? input : (input as { readonly value?: unknown }).value;
}

export function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
