// Vercel AI SDK 7. The SDK's types are not imported: only what is used of them is named here.
import type { Bus } from "../../bus/bus.js";
import type { Approver, Decision } from "../../bus/types.js";
import type { ToolPayload } from "../../catalog/payloads.js";
import {
  type AdapterOptions,
  AdapterSession,
  DeniedError,
  deniedText,
  failureText,
  type SdkCall,
  type SdkOutcome,
  sdkInput,
} from "../_session/adapter-session.js";
import { type AiSdkUsage, aiSdkUsage } from "../_session/ai-sdk-usage.js";
import { keepRecent } from "../_session/keep-recent.js";
import { type GuardableTool, lastOf } from "../tools/guard-tools.js";

/** Options of `guardAiSdk`. */
export interface AiSdkOptions extends AdapterOptions {
  /**
   * Where a person is asked. `bus` (default): the bus's approver, for example the hub. `sdk`: the SDK returns a `tool-approval-request` to
   * your application, and the call runs once the application has answered; pass `toolApproval`, or such calls are denied.
   */
  readonly ask?: "bus" | "sdk";
}

interface ExecutionOptions {
  readonly toolCallId: string;
  readonly abortSignal?: AbortSignal | undefined;
}
interface Step {
  readonly model?: unknown;
  readonly messages: readonly unknown[];
}
type Approval = "approved" | "not-applicable" | { readonly type: "denied" | "user-approval"; readonly reason?: string };
interface AskedApproval {
  readonly toolCall: { readonly toolName: string; readonly toolCallId: string; readonly input: unknown };
}
interface CallEnd {
  readonly modelId?: string;
  readonly provider?: string;
  readonly usage?: AiSdkUsage;
}

/** What `guardAiSdk` returns: parts for `generateText`, `streamText` and `ToolLoopAgent`. */
export interface AiSdkGuard {
  /** Wraps tools. This is what enforces: a call of a wrapped tool runs only if no guard denies it. */
  tools<T extends { readonly [name: string]: GuardableTool }>(tools: T): T;
  /** Decides before the SDK runs a tool, so a denied call is shown as denied and not as an error. Use it with wrapped tools. */
  readonly toolApproval: (options: AskedApproval) => Promise<Approval>;
  /** Asks `llm:before` about each step and adds what hooks inject. Give it your own function to run both. */
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's type depends on the tools; this function fits all of them
  prepareStep(own?: (step: any) => unknown): (step: any) => Promise<any>;
  /** For `telemetry: { integrations: [guard.telemetry] }`: reports each model call with its usage. */
  readonly telemetry: {
    readonly onLanguageModelCallEnd: (event: CallEnd) => Promise<void>;
    readonly onError: (error: unknown) => Promise<void>;
  };
  /** Ends the questions that your application did not answer; their calls are denied. */
  close(): void;
}

/**
 * Puts a bus around the tools and steps of the AI SDK.
 *
 * `const guard = guardAiSdk(bus); generateText({ model, prompt, tools: guard.tools(tools), prepareStep: guard.prepareStep() })`
 */
export function guardAiSdk(bus: Bus, options: AiSdkOptions = {}): AiSdkGuard {
  const session = new AdapterSession(bus, options);
  const calls = new DecidedCalls(session, options.ask ?? "bus");
  return {
    tools: (tools) => calls.wrap(tools),
    toolApproval: ({ toolCall }) => calls.approval(toolCall),
    prepareStep: (own) => async (step: Step) => {
      await session.modelStarts(modelName(step.model));
      const result = ((await own?.(step)) ?? {}) as { readonly messages?: readonly unknown[] };
      const notes = session.takeNotes();
      if (notes === undefined) return result;
      return { ...result, messages: [...(result.messages ?? step.messages), { role: "user", content: notes }] };
    },
    telemetry: {
      onLanguageModelCallEnd: ({ modelId, provider, usage }) => session.modelEnded({ model: modelId, provider, usage: aiSdkUsage(usage) }),
      onError: (error) => session.modelFailed(error),
    },
    close: () => calls.close(),
  };
}

interface Decided {
  readonly call: SdkCall;
  readonly decision: Promise<Decision<ToolPayload>>;
  /** Answers the question about this call: the SDK runs a call that was asked about only once the application has allowed it. */
  readonly allow?: () => void;
}

/** Calls that `toolApproval` has looked at and that the SDK has not run yet. */
class DecidedCalls {
  readonly #session: AdapterSession;
  readonly #ask: "bus" | "sdk";
  readonly #decided = new Map<string, Decided>();
  readonly #wrapped = new Set<string>();
  readonly #closing = new AbortController();

  constructor(session: AdapterSession, ask: "bus" | "sdk") {
    this.#session = session;
    this.#ask = ask;
  }

  wrap<T extends { readonly [name: string]: GuardableTool }>(tools: T): T {
    return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, this.#guard(name, tool)])) as T;
  }

  close(): void {
    this.#closing.abort(new Error("the application ended the conversation"));
    this.#decided.clear();
  }

  #guard(name: string, tool: GuardableTool): GuardableTool {
    const { execute } = tool;
    if (execute === undefined) return tool;
    this.#wrapped.add(name);
    const run = async (input: unknown, options: ExecutionOptions) => {
      const call = { name, input, callId: options.toolCallId, signal: options.abortSignal };
      const execution = async (allowed: unknown) => lastOf(await execute.call(tool, allowed, options));
      const decided = this.#take(call);
      return decided === undefined ? this.#runWhole(call, execution) : this.#runDecided(call, decided, execution);
    };
    return { ...tool, execute: run };
  }

  /** Asks the guards once for each call, and keeps the decision for `execute`. */
  async approval({ toolName: name, toolCallId: callId, input }: AskedApproval["toolCall"]): Promise<Approval> {
    const call = { name, input, callId };
    let ask: (question: { readonly reason: string | undefined; readonly allow: () => void }) => void = () => {};
    const question = new Promise<Parameters<typeof ask>[0]>((resolve) => {
      ask = resolve;
    });
    const approver: Approver = ({ reason }) =>
      new Promise((resolve) => ask({ reason, allow: () => resolve({ verdict: "allow", by: "application" }) }));
    const options = this.#ask === "sdk" && this.#wrapped.has(name) ? { approver, signal: this.#closing.signal } : {};
    const decision = this.#session.decide(call, options);
    const asked = await Promise.race([question, decision.then(() => undefined)]);
    if (asked === undefined) return this.#settled(call, await decision);
    keepRecent(this.#decided, callId, { call, decision, allow: asked.allow });
    return { type: "user-approval", ...(asked.reason !== undefined && { reason: asked.reason }) };
  }

  async #settled(call: SdkCall & { readonly callId: string }, decision: Decision<ToolPayload>): Promise<Approval> {
    const isWrapped = this.#wrapped.has(call.name);
    if (decision.allowed && (isWrapped || !decision.modified)) {
      if (isWrapped) keepRecent(this.#decided, call.callId, { call, decision: Promise.resolve(decision) });
      return decision.verdict === "allow" ? "approved" : "not-applicable";
    }
    const reason = decision.allowed ? `a rule rewrites this call, but the tool "${call.name}" is not wrapped` : decision.reason;
    await this.#session.refused(call, reason);
    return { type: "denied", reason: deniedText(reason) };
  }

  /** The decision about exactly this call. If the input is another one, the guards are asked again. */
  #take(call: SdkCall): Decided | undefined {
    const kept = this.#decided.get(call.callId ?? "");
    this.#decided.delete(call.callId ?? "");
    const isSame = kept?.call.name === call.name && JSON.stringify(kept?.call.input) === JSON.stringify(call.input);
    return isSame ? kept : undefined;
  }

  async #runWhole(call: SdkCall, execute: (input: unknown) => unknown): Promise<unknown> {
    const run = await this.#session.run(call, execute);
    if (run.status === "ok") return run.output;
    if (run.status === "error") throw run.error;
    throw new DeniedError(failureText(run));
  }

  async #runDecided(call: SdkCall, decided: Decided, execute: (input: unknown) => unknown): Promise<unknown> {
    decided.allow?.();
    const decision = await decided.decision;
    if (!decision.allowed) {
      await this.#session.refused(call, decision.reason);
      throw new DeniedError(deniedText(decision.reason));
    }
    const input = sdkInput(decision.payload.tool.input, call.input);
    const ran = { ...call, input };
    const start = performance.now();
    let outcome: SdkOutcome;
    try {
      outcome = { output: await this.#session.collected(await execute(input), call.signal), durationMs: performance.now() - start };
    } catch (thrown) {
      const durationMs = performance.now() - start;
      const error = await this.#session.seenError(ran, thrown);
      await this.#session.ended(ran, { error, durationMs });
      throw error;
    }
    return this.#session.ended(ran, outcome);
  }
}

function modelName(model: unknown): string | undefined {
  return typeof model === "string" ? model : (model as { readonly modelId?: string } | undefined)?.modelId;
}
