// Strands Agents SDK. Its types are not imported: only what is used of them is named here.
import type { Bus } from "../../bus/bus.js";
import { usageOf } from "../../catalog/usage.js";
import {
  type AdapterOptions,
  AdapterSession,
  deniedText,
  isRecord,
  plainView,
  type SdkCall,
  shownText,
} from "../_session/adapter-session.js";
import { keepRecent } from "../_session/keep-recent.js";

// biome-ignore lint/suspicious/noExplicitAny: the classes of the SDK's events differ, and only `any` accepts each of them
type AnyClass = new (...args: any[]) => any;

/** The parts of `@strands-agents/sdk` that are used: pass the whole module. */
export interface StrandsModule {
  readonly BeforeInvocationEvent: AnyClass;
  readonly AfterInvocationEvent: AnyClass;
  readonly BeforeModelCallEvent: AnyClass;
  readonly AfterModelCallEvent: AnyClass;
  readonly ModelStreamUpdateEvent: AnyClass;
  readonly BeforeToolCallEvent: AnyClass;
  readonly AfterToolCallEvent: AnyClass;
  readonly TextBlock: AnyClass;
  readonly ToolResultBlock: AnyClass;
}

interface HookedAgent {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  addHook(event: any, callback: (event: any) => void | Promise<void>): unknown;
}

/** What the SDK takes in the list `plugins` of an agent. */
export interface StrandsPlugin {
  readonly name: string;
  initAgent(agent: HookedAgent): void;
}

/**
 * A plugin that puts a bus around the tools and model calls of an agent.
 *
 * `import * as strands from "@strands-agents/sdk"; new strands.Agent({ model, tools, plugins: [guardStrands(bus, strands)] })`
 */
export function guardStrands(bus: Bus, strands: StrandsModule, options: AdapterOptions = {}): StrandsPlugin {
  const session = new AdapterSession(bus, options);
  const denied = new Map<string, true>();
  return {
    name: "hookline",
    initAgent(agent) {
      agent.addHook(strands.BeforeInvocationEvent, () => session.started());
      agent.addHook(strands.AfterInvocationEvent, () => session.finished());
      agent.addHook(strands.BeforeModelCallEvent, (event) => beforeModel(session, event));
      agent.addHook(strands.AfterModelCallEvent, ({ error }) => (error === undefined ? undefined : session.modelFailed(error)));
      agent.addHook(strands.ModelStreamUpdateEvent, ({ event }) => usageIn(session, event));
      agent.addHook(strands.BeforeToolCallEvent, (event) => beforeTool(session, event, denied));
      agent.addHook(strands.AfterToolCallEvent, (event) => afterTool(session, { event, denied, strands }));
    },
  };
}

interface ToolUse {
  readonly name: string;
  readonly toolUseId: string;
  readonly input: unknown;
}

const callOf = ({ name, toolUseId, input }: ToolUse): SdkCall => ({ name, callId: toolUseId, input });

async function beforeTool(
  session: AdapterSession,
  event: { toolUse: ToolUse; cancel: boolean | string },
  denied: Map<string, true>,
): Promise<void> {
  // Another hook has cancelled it: to allow it here would let it run.
  if (event.cancel) return;
  // If anything here fails, the call must not run.
  event.cancel = deniedText("its guards did not finish");
  const decision = await session.decide(callOf(event.toolUse));
  const isDelivered = !decision.modified || isRecord(event.toolUse.input);
  if (!decision.allowed || !isDelivered) {
    event.cancel = deniedText(decision.allowed ? "a rule rewrites this call, but its input is not an object" : decision.reason);
    keepRecent(denied, event.toolUse.toolUseId, true);
    return;
  }
  if (isRecord(event.toolUse.input)) event.toolUse = { ...event.toolUse, input: decision.payload.tool.input };
  event.cancel = false;
}

interface ToolResult {
  readonly toolUseId: string;
  readonly status: "success" | "error";
  readonly content: readonly unknown[];
}

interface Ended {
  readonly event: { readonly toolUse: ToolUse; result: ToolResult; readonly error?: Error };
  /** The ids of the calls that `beforeTool` denied: the SDK reports them as ended too. */
  readonly denied: Map<string, true>;
  readonly strands: StrandsModule;
}

async function afterTool(session: AdapterSession, ended: Ended): Promise<void> {
  const { event, strands } = ended;
  const { TextBlock, ToolResultBlock } = strands;
  const { toolUseId, status, content } = event.result;
  const text = textOf(content);
  const output = text ?? (await plainView(content));
  const call = callOf(event.toolUse);
  const value = status === "error" ? await failed(session, call, { ended, output }) : await session.ended(call, { output });
  const notes = session.takeNotes();
  if (value === output && notes === undefined) return;
  const shown = value === output ? content : [new TextBlock(shownText(value))];
  const told = notes === undefined ? shown : [...shown, new TextBlock(notes)];
  event.result = new ToolResultBlock({ toolUseId, status, content: told });
}

/** Hooks see what a failed call says, because the model reads it. What a denied call says is theirs. */
async function failed(session: AdapterSession, call: SdkCall, { ended, output }: { readonly ended: Ended; readonly output: unknown }) {
  const { event, denied } = ended;
  const isDenied = denied.delete(event.result.toolUseId);
  const value = isDenied ? output : await session.seen(call, output);
  const error = typeof value === "string" ? value : "the tool failed";
  await session.ended(call, { error, status: isDenied ? "blocked" : "error" });
  return value;
}

/** The text of a result that is nothing but text. */
function textOf(content: readonly unknown[]): string | undefined {
  const texts = content.map((block) => (isRecord(block) && typeof block.text === "string" ? block.text : undefined));
  return texts.length > 0 && texts.every((text) => text !== undefined) ? texts.join("\n") : undefined;
}

async function beforeModel(session: AdapterSession, event: { cancel: boolean | string; readonly model?: unknown }): Promise<void> {
  try {
    await session.modelStarts(modelName(event.model));
  } catch (error) {
    event.cancel = (error as Error).message;
  }
}

function modelName(model: unknown): string | undefined {
  const id = (model as { readonly modelId?: unknown } | undefined)?.modelId;
  return typeof id === "string" ? id : undefined;
}

async function usageIn(session: AdapterSession, event: unknown): Promise<void> {
  if (!isRecord(event) || !isRecord(event.usage)) return;
  const { inputTokens: input, outputTokens: output, cacheReadInputTokens: cacheRead, cacheWriteInputTokens: cacheWrite } = event.usage;
  await session.modelEnded({
    usage: usageOf({ input, output, cacheRead, cacheWrite }),
  });
}
