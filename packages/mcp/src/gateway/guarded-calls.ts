import type { AgentRef, Bus, Reminder, SessionRef, ToolPayload, ToolRun } from "@hookline/core";
import type { HubConnection } from "@hookline/core/forward";
import { fixText, withFix } from "@hookline/core/internal";
import { createReminderBook } from "@hookline/core/remind";
import { type Fields, fieldsOf, type Response } from "../protocol/message.js";
import { callIdOf, type GuardedMethod, toolName } from "./guarded-methods.js";
import { errorValue, type ResultShape, replacedError, replacedResult, shapeOf } from "./results.js";
import { goneText, UpstreamGone } from "./upstream.js";

/** What became of a guarded request. */
export type GuardedAnswer =
  | { readonly result: Fields }
  /** The server's own error. */
  | { readonly error: Fields }
  /** It was denied or did not run; the text says why and what to do. */
  | { readonly refused: string }
  | { readonly cancelled: true };

export interface GuardedCallsOptions {
  readonly bus: Bus;
  readonly line: HubConnection;
  readonly server: string;
  readonly session: SessionRef;
  readonly agent: () => AgentRef;
}

/** Which call something is about. */
export interface AboutCall {
  readonly method: GuardedMethod;
  readonly params: Fields;
  readonly callId: string;
}

export interface GuardedCall extends AboutCall {
  readonly signal: AbortSignal;
  /** Resolves when it is known what the guards must know of the server. */
  readonly ready: () => Promise<void>;
  /** What is wrong with the request, as far as only the server's list tells. */
  readonly fault: () => string | undefined;
  /** Sends the request to the server. */
  readonly send: (params: Fields, signal: AbortSignal) => Promise<Response>;
}

/** The server ran the call and says that it failed. Hooks have seen what it says. */
class CallFailed extends Error {
  readonly answer: GuardedAnswer;
  readonly injections: readonly string[];

  constructor(text: string, answer: GuardedAnswer, injections: readonly string[]) {
    super(text);
    this.answer = answer;
    this.injections = injections;
  }
}

/** Runs requests as tool calls of the bus: before, the server's answer, result, after. */
export class GuardedCalls {
  readonly #options: GuardedCallsOptions;

  constructor(options: GuardedCallsOptions) {
    this.#options = options;
  }

  async run(call: GuardedCall): Promise<GuardedAnswer> {
    const { bus, line } = this.#options;
    // The variable may come from the client or from an agent: no call may pass unseen.
    if (line.state === "off")
      return { refused: "Hookline is switched off in the gateway's environment (HOOKLINE or HOOKLINE_FORWARD), so every call is denied." };
    const payload = this.#payload(call);
    try {
      await call.ready();
    } catch (error) {
      return (await this.#gone(payload, error)).answer;
    }
    const fault = call.fault();
    if (fault !== undefined)
      return { refused: `Hookline denied this call: ${fault}. Give arguments the names that the tool's schema has.` };
    let original: { readonly result: Fields; readonly value: unknown } | undefined;
    const run = await bus.runTool(
      payload,
      async (input, signal) => {
        const isSame = input === payload.tool.input;
        const params = isSame ? call.params : call.method.withInput(call.params, input);
        const response = await call.send(params, signal).catch(async (error: unknown) => {
          throw error instanceof UpstreamGone ? await this.#gone(payload, error) : error;
        });
        if (response.error !== undefined) throw await this.#failed(call, payload, { error: fieldsOf(response.error) });
        const result = fieldsOf(response.result);
        if (result.isError === true) throw await this.#failed(call, payload, { result });
        original = { result, value: shapeOf(call.method.result, result).value(result) };
        return original.value;
      },
      { signal: call.signal },
    );
    return this.#answer(call, run, original);
  }

  /** What becomes of a result that comes with another answer than the call's own: that of a task. */
  async seen(call: AboutCall, result: Fields): Promise<Fields> {
    const shape = shapeOf(call.method.result, result);
    const value = shape.value(result);
    const seen = await this.#options.bus.transform("tool:result", value, this.#payload(call));
    return noted(shape, replacedResult(shape, result, value, seen.value), [...seen.injections, ...reminded(seen.reminders)]);
  }

  /** The same for a text about the call, such as how far it is. */
  async seenText(call: AboutCall, text: string): Promise<string> {
    const { value } = await this.#options.bus.transform("tool:result", text, this.#payload(call));
    return typeof value === "string" ? value : JSON.stringify(value);
  }

  /** The same for an error. */
  async seenError(call: AboutCall, error: Fields): Promise<Fields> {
    const value = errorValue(error);
    const seen = await this.#options.bus.transform("tool:result", value, this.#payload(call));
    return replacedError(error, value, seen.value);
  }

  #payload({ method, params, callId }: AboutCall): ToolPayload {
    const { server, session, agent } = this.#options;
    const runtimeName = method.runtimeName(params);
    const name = toolName(server, method.tool(params));
    const input = method.input(params) as ToolPayload["tool"]["input"];
    // The server gets it, too, as the client sent it.
    const { traceparent } = fieldsOf(params._meta);
    const traced = typeof traceparent === "string" ? { raw: { _meta: { traceparent } } } : {};
    return { session, agent: agent(), tool: { name, runtimeName, server, callId: callIdOf(params, callId), input }, ...traced };
  }

  /** The text of a failure reaches the model, too: hooks of `tool:result` see it, and the call counts as failed. */
  async #failed({ method }: GuardedCall, payload: ToolPayload, answer: { readonly result: Fields } | { readonly error: Fields }) {
    const value = "error" in answer ? errorValue(answer.error) : method.result.value(answer.result);
    const seen = await this.#options.bus.transform("tool:result", value, payload);
    const text = typeof seen.value === "string" ? seen.value : JSON.stringify(seen.value);
    const after =
      "error" in answer
        ? { error: replacedError(answer.error, value, seen.value) }
        : { result: { ...replacedResult(method.result, answer.result, value, seen.value), isError: true } };
    return new CallFailed(text, after, [...seen.injections, ...reminded(seen.reminders)]);
  }

  /** The reason may contain the server's own words, such as the body of an HTTP error. */
  async #gone(payload: ToolPayload, error: unknown): Promise<CallFailed> {
    const { bus, server } = this.#options;
    const seen = await bus.transform("tool:result", goneText(server, error), payload);
    const text = typeof seen.value === "string" ? seen.value : JSON.stringify(seen.value);
    return new CallFailed(text, { refused: text }, []);
  }

  #answer(
    { method }: GuardedCall,
    run: ToolRun,
    original: { readonly result: Fields; readonly value: unknown } | undefined,
  ): GuardedAnswer {
    const { status, error, decision } = run;
    const notes = [...run.injections, ...reminded(run.reminders)];
    const shape = shapeOf(method.result, original?.result ?? {});
    if (status === "cancelled") return { cancelled: true };
    if (status === "blocked") {
      const why = reasonOf(decision);
      return { refused: [`Hookline denied this call: ${why}`, ...notes].join("\n\n") };
    }
    if (error instanceof CallFailed) {
      const { answer } = error;
      return "result" in answer ? { result: noted(method.result, answer.result, [...error.injections, ...notes]) } : answer;
    }
    if (status !== "ok" || original === undefined)
      return { refused: `The call failed: ${error instanceof Error ? error.message : String(error)}` };
    return { result: noted(shape, replacedResult(shape, original.result, original.value, run.output), notes) };
  }
}

function noted(shape: ResultShape, result: Fields, texts: readonly string[]): Fields {
  return texts.length === 0 ? result : shape.with(result, texts.join("\n\n"));
}

/** The reason, with what to do about it. The reason of a failed guard has that already. */
function reasonOf({ reason = "A guard has denied it.", cause }: ToolRun["decision"]): string {
  const fix = cause?.fix;
  return fix === undefined || reason.includes(fixText(fix)) ? reason : withFix(reason, fix);
}

function reminded(reminders: readonly Reminder[]): readonly string[] {
  if (reminders.length === 0) return [];
  const book = createReminderBook();
  for (const { spec, by } of reminders) book.add(spec, { session: undefined, by, event: "tool:before" });
  return [book.render()];
}
