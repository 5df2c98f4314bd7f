// OpenAI Agents SDK for TypeScript. The SDK's types are not imported: only what is used of them is named here.
import type { Bus } from "../../bus/bus.js";
import { usageOf } from "../../catalog/usage.js";
import { type AdapterOptions, AdapterSession, deniedText, failureText, isRecord } from "../_session/adapter-session.js";

/** A function tool of the SDK. */
interface InvokedTool {
  readonly type: string;
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: the type of a tool's own function is kept, and only `any` accepts each of them
  readonly invoke?: (context: any, input: string, details?: any) => Promise<any>;
  /** Set on a tool that runs on this machine and is not a function tool. */
  readonly shell?: unknown;
  readonly editor?: unknown;
  readonly computer?: unknown;
}
interface Details {
  readonly toolCall?: { readonly callId?: string } | undefined;
  readonly signal?: AbortSignal | undefined;
}
/** `Runner`, or anything else with its events. */
interface RunnerEvents {
  // biome-ignore lint/suspicious/noExplicitAny: the SDK declares one signature for each event
  on(event: any, listener: (...args: any[]) => void): unknown;
}
interface ModelCall {
  readonly modelData: { readonly input: unknown[]; readonly instructions?: string };
}
interface RawUsage {
  readonly usage?: {
    readonly inputTokens?: number;
    readonly outputTokens?: number;
    /** One entry for each request. */
    readonly inputTokensDetails?: readonly TokenDetails[];
    readonly outputTokensDetails?: readonly TokenDetails[];
  };
}
interface TokenDetails {
  readonly [kind: string]: number;
}

/** What `guardOpenAiAgents` returns: parts for `Agent` and `Runner`. */
export interface OpenAiAgentsGuard {
  /**
   * Wraps function tools: a call runs only if no guard denies it, and a denied call returns the reason to the model. Throws for other tools
   * that run here, such as a shell of this machine.
   */
  tools<T extends InvokedTool>(tools: readonly T[]): T[];
  /** Reports the beginning and the end of each agent's run, with its usage. */
  observe(runner: RunnerEvents): void;
  /** For `callModelInputFilter`: asks `llm:before`, and adds what hooks inject. */
  readonly callModelInputFilter: <C extends ModelCall>(call: C) => Promise<C["modelData"]>;
}

/**
 * Puts a bus around the function tools of the OpenAI Agents SDK.
 *
 * `const guard = guardOpenAiAgents(bus); new Agent({ name, tools: guard.tools([readFile]) })`
 */
export function guardOpenAiAgents(bus: Bus, options: AdapterOptions = {}): OpenAiAgentsGuard {
  const session = new AdapterSession(bus, options);
  return {
    tools: (tools) => tools.map((tool) => guardTool(session, tool)),
    observe(runner) {
      runner.on("agent_start", () => void session.started());
      runner.on("agent_end", (context: RawUsage) => void ended(session, context));
    },
    async callModelInputFilter({ modelData }) {
      await session.modelStarts();
      const notes = session.takeNotes();
      return notes === undefined ? modelData : { ...modelData, input: [...modelData.input, { role: "user", content: notes }] };
    },
  };
}

function guardTool<T extends InvokedTool>(session: AdapterSession, tool: T): T {
  const { invoke, name } = tool;
  if (invoke === undefined) return hostedOnly(tool);
  const guarded = async (context: unknown, text: string, details: Details = {}): Promise<unknown> => {
    const { toolCall, signal } = details;
    const input = inputIn(text);
    // Guards must read what the tool will get; the SDK gives tools text that it parses itself.
    if (input === undefined) return deniedText("its arguments are not a JSON object, so no guard can read them");
    const call = { name, input, callId: toolCall?.callId, signal };
    const run = await session.run(call, (allowed) => invoke.call(tool, context, JSON.stringify(allowed), withoutParsed(details)));
    return run.status === "ok" ? run.output : failureText(run);
  };
  return { ...tool, invoke: guarded };
}

/** A hosted tool runs at the provider. A shell, an editor or a computer of this machine would run without its guards. */
function hostedOnly<T extends InvokedTool>(tool: T): T {
  const { shell, editor, computer } = tool;
  if (shell === undefined && editor === undefined && computer === undefined) return tool;
  throw new Error(`The tool "${tool.name}" would not be guarded: it is not a function tool. Give the agent a function tool in its place.`);
}

/** Only what the SDK documents is passed on: it may have parsed the input before the guards rewrote it. */
function withoutParsed({ toolCall, signal }: Details): Details {
  return { ...(toolCall && { toolCall }), ...(signal && { signal }) };
}

function inputIn(text: string): object | undefined {
  try {
    const input: unknown = JSON.parse(text === "" ? "{}" : text);
    return isRecord(input) ? input : undefined;
  } catch {
    return undefined;
  }
}

/** The SDK counts the usage of a whole run, also over several agents. Its input and output include the cache and the reasoning. */
async function ended(session: AdapterSession, { usage = {} }: RawUsage): Promise<void> {
  const { inputTokens: input, outputTokens: output, inputTokensDetails, outputTokensDetails } = usage;
  const cacheRead = sumOf(inputTokensDetails, "cached_tokens");
  const reasoning = sumOf(outputTokensDetails, "reasoning_tokens");
  await session.finished(usageOf({ input, output, cacheRead, reasoning, isCacheInInput: true }));
}

/** Undefined if no request says it. */
function sumOf(details: readonly TokenDetails[] = [], kind: string): number | undefined {
  const known = details.flatMap((one) => one[kind] ?? []);
  return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count, 0);
}
