// Mastra. Its types are not imported: only what is used of them is named here.
import type { Bus } from "../../bus/bus.js";
import { messageOf } from "../../bus/describe-error.js";
import type { ToolInput } from "../../catalog/payloads.js";
import { deepEqual } from "../../match/deep-equal.js";
import { type AdapterOptions, AdapterSession, deniedText, isRecord, type SdkCall } from "../_session/adapter-session.js";
import { type AiSdkUsage, aiSdkUsage } from "../_session/ai-sdk-usage.js";
import { type GuardableTool, guardToolsIn } from "../tools/guard-tools.js";

interface HookContext {
  readonly toolName: string;
  readonly input: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: its type depends on the kind of the tool
  readonly context?: any;
}
interface AfterContext extends HookContext {
  readonly output?: unknown;
  readonly error?: unknown;
}
interface BeforeResult {
  proceed: false;
  output: unknown;
}
interface ToolHooks {
  // biome-ignore lint/suspicious/noExplicitAny: users' hooks may name narrower types
  readonly beforeToolCall?: (context: any) => unknown;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly afterToolCall?: (context: any) => unknown;
}
interface StepArguments {
  readonly model?: { readonly modelId?: string; readonly provider?: string };
  readonly systemMessages?: readonly unknown[];
}
interface StepEnd {
  readonly usage?: AiSdkUsage;
}

/** What `guardMastra` returns: parts for `Agent` and its `generate` and `stream`. */
export interface MastraGuard {
  /** For `new Agent({ hooks })`: guards every tool of the agent, also those of a workspace or of MCP servers. Give it your own hooks to run both. */
  hooks(own?: ToolHooks): {
    beforeToolCall: (context: HookContext) => Promise<BeforeResult | undefined>;
    afterToolCall: (context: AfterContext) => Promise<void>;
  };
  /** Wraps tools, instead of `hooks`. Only this lets hooks replace what a tool returned. */
  tools<T extends { readonly [name: string]: GuardableTool }>(tools: T): T;
  /** For `generate` and `stream`: asks `llm:before` about each step and adds what hooks inject. */
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's type depends on the model
  readonly prepareStep: (step: any) => Promise<any>;
  /** For `generate` and `stream`: reports usage. */
  readonly onStepFinish: (step: StepEnd) => Promise<void>;
}

/**
 * Puts a bus around the tools of a Mastra agent.
 *
 * `const guard = guardMastra(bus); new Agent({ name, model, tools, hooks: guard.hooks() })`
 */
export function guardMastra(bus: Bus, options: AdapterOptions = {}): MastraGuard {
  const session = new AdapterSession(bus, options);
  return {
    hooks: (own = {}) => ({
      async beforeToolCall(context) {
        const theirs = (await own.beforeToolCall?.(context)) as BeforeResult | undefined;
        if (theirs?.proceed === false) return theirs;
        // Whatever Mastra does with a hook that fails, the call does not run.
        return before(session, context).catch((error: unknown) => ({ proceed: false, output: deniedText(messageOf(error)) }));
      },
      async afterToolCall(context) {
        await reported(session, context);
        await own.afterToolCall?.(context);
      },
    }),
    tools: (tools) => guardToolsIn(session, tools),
    async prepareStep({ model, systemMessages = [] }: StepArguments) {
      await session.modelStarts(model?.modelId, model?.provider);
      const notes = session.takeNotes();
      return notes === undefined ? undefined : { systemMessages: [...systemMessages, { role: "system", content: notes }] };
    },
    onStepFinish: ({ usage }) => session.modelEnded({ usage: aiSdkUsage(usage) }),
  };
}

function callOf({ toolName: name, input, context }: HookContext): SdkCall {
  return { name, input, callId: context?.agent?.toolCallId ?? context?.toolCallId, signal: context?.abortSignal };
}

async function before(session: AdapterSession, context: HookContext): Promise<BeforeResult | undefined> {
  const call = callOf(context);
  const decision = await session.decide(call);
  const { input } = decision.payload.tool;
  // Also where no guard has rewritten it: the host's own object may have changed meanwhile.
  const isSame = decision.modified || typeof context.input === "object" ? deepEqual(context.input, input) : true;
  const isDelivered = isSame || replaceContent(context.input, input);
  if (decision.allowed && isDelivered) return undefined;
  const reason = decision.allowed ? "a rule rewrites this call, but its input cannot be changed" : decision.reason;
  await session.refused(call, reason);
  return { proceed: false, output: deniedText(reason) };
}

/** Mastra gives the tool the same object that it gave the hook, so a rewrite changes that object. */
function replaceContent(input: unknown, content: ToolInput): boolean {
  if (!isRecord(input) || Object.isFrozen(input)) return false;
  for (const key of Object.keys(input)) delete (input as { [key: string]: unknown })[key];
  Object.assign(input, content);
  return JSON.stringify(input) === JSON.stringify(content);
}

/** Mastra's hook cannot replace the output, so guards of results are not asked: they would believe that they had changed it. */
async function reported(session: AdapterSession, context: AfterContext): Promise<void> {
  const { error, output } = context;
  const payload = session.payloadOf(callOf(context));
  const isError = error !== undefined;
  await session.bus.emit("tool:after", {
    ...payload,
    tool: { ...payload.tool, isError, ...(isError ? {} : { output }) },
    status: isError ? "error" : "ok",
    ...(isError && { error: error instanceof Error ? error.message : String(error) }),
  });
}
