import type { Bus } from "../../bus/bus.js";
import { type AdapterOptions, AdapterSession, DeniedError, failureText } from "../_session/adapter-session.js";

/** A tool with a function `execute`, as most SDKs have them: its first argument is the input. */
export interface GuardableTool {
  // biome-ignore lint/suspicious/noExplicitAny: the type of a tool's own function is kept, and only `any` accepts each of them
  execute?: ((input: any, ...rest: any[]) => any) | undefined;
}

/**
 * Tools whose `execute` runs between the bus's hooks: guards see the input, `tool:result` the output. A denied call throws a `DeniedError`.
 * Tools without `execute` are kept as they are: something else runs them, and guards cannot see it.
 *
 * `const tools = guardTools(bus, { readFile, shell });`
 */
export function guardTools<T extends { readonly [name: string]: GuardableTool }>(bus: Bus, tools: T, options: AdapterOptions = {}): T {
  return guardToolsIn(new AdapterSession(bus, options), tools);
}

export function guardToolsIn<T extends { readonly [name: string]: GuardableTool }>(session: AdapterSession, tools: T): T {
  const guarded = Object.entries(tools).map(([name, tool]) => [name, guardTool(session, name, tool)]);
  return Object.fromEntries(guarded) as T;
}

function guardTool(session: AdapterSession, name: string, tool: GuardableTool): GuardableTool {
  const { execute } = tool;
  if (execute === undefined) return tool;
  const guarded = async (input: unknown, ...rest: unknown[]): Promise<unknown> => {
    const call = { name, input, callId: callIdIn(rest[0]), signal: signalIn(rest[0]) };
    const run = await session.run(call, async (allowed) => lastOf(await execute.call(tool, allowed, ...rest)));
    if (run.status === "ok") return run.output;
    if (run.status === "error") throw run.error;
    throw new DeniedError(failureText(run));
  };
  // A tool may be an object of a class: its methods stay.
  return Object.assign(Object.create(Object.getPrototypeOf(tool)) as GuardableTool, tool, { execute: guarded });
}

/** A tool that yields gives its result last. Guards of the result see it whole, so the model gets no part of it before. Of a stream, all counts. */
export async function lastOf(output: unknown): Promise<unknown> {
  if (!isAsyncIterable(output) || isByteStream(output)) return output;
  let last: unknown;
  for await (const value of output) last = value;
  return last;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/** A `ReadableStream`, or a stream of Node. */
function isByteStream(output: object): boolean {
  const { getReader, pipe } = output as { readonly getReader?: unknown; readonly pipe?: unknown };
  return typeof getReader === "function" || typeof pipe === "function";
}

/** SDKs pass the id of the call and a signal in the second argument. */
function callIdIn(options: unknown): string | undefined {
  const { toolCallId, callId } = (options ?? {}) as { readonly toolCallId?: unknown; readonly callId?: unknown };
  return [toolCallId, callId].find((id) => typeof id === "string") as string | undefined;
}

function signalIn(options: unknown): AbortSignal | undefined {
  const { abortSignal, signal } = (options ?? {}) as { readonly abortSignal?: unknown; readonly signal?: unknown };
  return [abortSignal, signal].find((value) => value instanceof AbortSignal) as AbortSignal | undefined;
}
