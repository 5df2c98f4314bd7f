// Claude Agent SDK. The SDK's types are not imported: only what is used of them is named here.
import type { Bus } from "../../bus/bus.js";
import type { Decision } from "../../bus/types.js";
import type { ToolPayload, Usage } from "../../catalog/payloads.js";
import { usageOf } from "../../catalog/usage.js";
import { type AdapterOptions, AdapterSession, isRecord, type SdkCall } from "../_session/adapter-session.js";
import { keepRecent } from "../_session/keep-recent.js";

// biome-ignore lint/suspicious/noExplicitAny: the SDK's inputs are a union of thirty shapes, and its callbacks take all of them
type HookInput = any;
type HookCallback = (input: HookInput, toolUseId: string | undefined, options: { readonly signal: AbortSignal }) => Promise<object>;
interface HookMatcher {
  readonly hooks: HookCallback[];
  readonly timeout?: number;
  readonly onFailure?: "block";
}
type HookTable = { [event: string]: HookMatcher[] };

/** What `guardClaudeAgent` returns: parts for `query`. */
export interface ClaudeAgentGuard {
  /** For `options.hooks`. Your own hooks run beside these. */
  hooks(own?: { readonly [event: string]: readonly object[] | undefined }): { [event: string]: HookMatcher[] };
  /** Passes messages on and reports usage: `for await (const message of guard.observe(query(…)))`. */
  observe<M>(messages: AsyncIterable<M>): AsyncGenerator<M, void>;
}

/** Longer than a person takes: the SDK lets a call run whose hook ran out of time only if the hook does not block on failure. */
const TIMEOUT_S = 600;

/**
 * Puts a bus around the tools of the Claude Agent SDK. Hooks are registered with `onFailure: "block"`: if one fails, the call is denied.
 *
 * `query({ prompt, options: { hooks: guard.hooks() } })`
 */
export function guardClaudeAgent(bus: Bus, options: AdapterOptions = {}): ClaudeAgentGuard {
  const sessions = new Map<string, AdapterSession>();
  const sessionOf = (input: HookInput): AdapterSession => {
    const id = String(input?.session_id ?? "");
    const session = sessions.get(id) ?? new AdapterSession(bus, { ...options, session: options.session ?? { id } });
    keepRecent(sessions, id, session);
    return session;
  };
  const table: HookTable = {
    PreToolUse: blocking(async (input, _id, { signal }) => beforeTool(sessionOf(input), { ...callOf(input), signal })),
    PostToolUse: blocking(async (input) => afterTool(sessionOf(input), input)),
    PostToolUseFailure: plain(async (input) => {
      await sessionOf(input).ended(callOf(input), { error: input.error, durationMs: input.duration_ms });
      return {};
    }),
    UserPromptSubmit: blocking(async (input) => submitted(sessionOf(input), input)),
    SessionStart: plain(async (input) => {
      await sessionOf(input).started();
      return context("SessionStart", sessionOf(input));
    }),
    SessionEnd: plain(async (input) => {
      await sessionOf(input).finished();
      sessions.delete(String(input?.session_id ?? ""));
      return {};
    }),
  };
  return {
    hooks(own = {}) {
      const merged: HookTable = { ...table };
      for (const [event, matchers = []] of Object.entries(own)) merged[event] = [...(merged[event] ?? []), ...(matchers as HookMatcher[])];
      return merged;
    },
    async *observe(messages) {
      for await (const message of messages) {
        await report(bus, sessionOf, message);
        yield message;
      }
    },
  };
}

function blocking(hook: HookCallback): HookMatcher[] {
  return [{ hooks: [hook], timeout: TIMEOUT_S, onFailure: "block" }];
}

function plain(hook: HookCallback): HookMatcher[] {
  return [{ hooks: [hook] }];
}

function callOf(input: HookInput): SdkCall {
  return { name: String(input.tool_name), callId: input.tool_use_id, input: input.tool_input ?? {}, server: input.mcp_server?.name };
}

async function beforeTool(session: AdapterSession, call: SdkCall): Promise<object> {
  const decision = await session.decide(call);
  // On `ask` the SDK asks a person, and the call may still run.
  if (decision.verdict === "deny") await session.refused(call, decision.reason);
  const verdict = permission(decision, call);
  const notes = session.takeNotes();
  if (verdict === undefined && notes === undefined) return {};
  return { hookSpecificOutput: { hookEventName: "PreToolUse", ...verdict, ...(notes !== undefined && { additionalContext: notes }) } };
}

/** No opinion leaves the decision to the SDK's own permissions, which check the call as it was rewritten. `allow` would skip them. */
function permission(decision: Decision<ToolPayload>, call: SdkCall): object | undefined {
  const reason = decision.reason === undefined ? {} : { permissionDecisionReason: decision.reason };
  const { verdict, modified } = decision;
  if (verdict === "deny") return { permissionDecision: "deny", permissionDecisionReason: decision.reason ?? "denied" };
  if (modified && !isRecord(call.input))
    return { permissionDecision: "deny", permissionDecisionReason: "a rule rewrites this call, but its input is not an object" };
  if (verdict === "pass" && !modified) return undefined;
  const input = modified ? { updatedInput: decision.payload.tool.input } : {};
  return verdict === "pass" ? input : { permissionDecision: verdict, ...input, ...reason };
}

async function afterTool(session: AdapterSession, input: HookInput): Promise<object> {
  const before: unknown = input.tool_response;
  const after = await session.ended(callOf(input), { output: before, durationMs: input.duration_ms });
  const notes = session.takeNotes();
  const output = after === before ? {} : { updatedToolOutput: after };
  if (after === before && notes === undefined) return {};
  return { hookSpecificOutput: { hookEventName: "PostToolUse", ...output, ...(notes !== undefined && { additionalContext: notes }) } };
}

async function submitted(session: AdapterSession, input: HookInput): Promise<object> {
  const prompt = String(input.prompt ?? "");
  const decision = await session.bus.decide("prompt:submit", { ...session.base, prompt });
  session.keep(decision.injections, decision.reminders);
  if (!decision.allowed) return { decision: "block", reason: decision.reason ?? "denied" };
  // The SDK cannot replace a prompt, and one that a rule wanted changed must not go out as it was.
  if (decision.modified) return { decision: "block", reason: "a rule rewrites this prompt, and the SDK cannot replace prompts" };
  return context("UserPromptSubmit", session);
}

function context(hookEventName: string, session: AdapterSession): object {
  const notes = session.takeNotes();
  return notes === undefined ? {} : { hookSpecificOutput: { hookEventName, additionalContext: notes } };
}

async function report(bus: Bus, sessionOf: (input: HookInput) => AdapterSession, message: unknown): Promise<void> {
  if (!isRecord(message)) return;
  if (message.type === "assistant" && isRecord(message.message)) {
    const { model, usage } = message.message as { readonly model?: string; readonly usage?: RawUsage };
    await sessionOf(message).modelEnded({ model, usage: tokens(usage) });
  }
  if (message.type !== "result") return;
  const usage = tokens(message.usage as RawUsage | undefined, message.total_cost_usd);
  await bus.emit("turn:end", { ...sessionOf(message).base, usage, status: String(message.subtype ?? "") });
}

interface RawUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
}

function tokens(usage: RawUsage = {}, costUsd?: unknown): Usage {
  const { cache_read_input_tokens: cacheRead, cache_creation_input_tokens: cacheWrite } = usage;
  return usageOf({ input: usage.input_tokens, output: usage.output_tokens, cacheRead, cacheWrite, costUsd });
}
