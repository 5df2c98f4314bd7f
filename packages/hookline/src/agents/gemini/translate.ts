import { usageOf } from "@hookline/core/internal";
import { toolFields } from "../shared/common-fields.js";
import { isObject, type Json, type NativePayload, present } from "../shared/native-payload.js";
import { contentDigest, createTranslator } from "../shared/translator.js";
import { events, type GeminiEvent } from "./events.js";
import { tools } from "./tools.js";

/** The fields that only some events have. */
const details: { readonly [N in GeminiEvent]?: (native: NativePayload) => Json } = {
  SessionStart: (native) => present({ trigger: native.text("source") }),
  SessionEnd: (native) => present({ reason: native.text("reason") }),
  BeforeAgent: (native) => ({ prompt: native.needed("prompt") }),
  AfterAgent: (native) =>
    present({ prompt: native.text("prompt"), message: native.text("prompt_response"), isAgain: native.flag("stop_hook_active") }),
  BeforeModel: model,
  BeforeToolSelection: model,
  AfterModel: (native) => ({ ...agentOf(native), ...response(native.object("llm_response") ?? {}) }),
  BeforeTool: tool,
  AfterTool: (native) => withStatus(tool(native), native),
  PreCompress: (native) => present({ trigger: native.text("trigger") }),
  Notification: (native) =>
    present({ message: native.text("message"), kind: native.text("notification_type"), details: native.fields.details }),
};

/** Translates an event of Gemini CLI. */
export const translate = createTranslator({
  agent: "gemini",
  events,
  details,
  eventOf,
  rawOf: (name, payload) => (name === "AfterModel" ? withoutRequest(payload) : payload),
  keyOf: firingKey,
});

/** A chunk is the last one if it has a finish reason. */
function eventOf(name: GeminiEvent, native: NativePayload): string {
  if (name !== "AfterModel") return events[name].event;
  const { candidates } = native.object("llm_response") ?? {};
  const isLast = Array.isArray(candidates) && candidates.some((candidate) => isObject(candidate) && Boolean(candidate.finishReason));
  return isLast ? "llm:after" : "message:delta";
}

function tool(native: NativePayload): Json {
  const fields = toolFields(tools, native);
  return { tool: { ...(fields.tool as Json), ...mcpName(native) } };
}

/** Uses Claude Code's name, so that one rule covers both. */
function mcpName(native: NativePayload): Json {
  const { server_name: server, tool_name: name } = native.object("mcp_context") ?? {};
  if (typeof server !== "string" || typeof name !== "string") return {};
  return { name: `mcp__${server}__${name}`, runtimeName: native.text("tool_name") ?? "" };
}

function withStatus(fields: Json, native: NativePayload): Json {
  const { error } = native.object("tool_response") ?? {};
  if (error === undefined || error === null) return { ...fields, status: "ok" };
  return { tool: { ...(fields.tool as Json), isError: true }, status: "error", error };
}

function model(native: NativePayload): Json {
  return { ...agentOf(native), request: native.object("llm_request") ?? {} };
}

function agentOf(native: NativePayload): Json {
  const { model: name } = native.object("llm_request") ?? {};
  return { agent: present({ model: typeof name === "string" ? name : undefined, platform: "gemini" }) };
}

function response({ text, usageMetadata: usage }: Json): Json {
  return present({ message: typeof text === "string" ? text : undefined, usage: isObject(usage) ? counted(usage) : undefined });
}

function counted({ promptTokenCount, candidatesTokenCount, cachedContentTokenCount, thoughtsTokenCount }: Json): Json {
  const [input, output] = [promptTokenCount ?? 0, candidatesTokenCount ?? 0];
  const rest = { cacheRead: cachedContentTokenCount, reasoning: thoughtsTokenCount, isCacheInInput: true, isReasoningBesideOutput: true };
  return { ...usageOf({ input, output, ...rest }) };
}

/** Each chunk repeats the conversation. */
function withoutRequest(payload: unknown): unknown {
  if (!isObject(payload)) return payload;
  const { llm_request: _, ...rest } = payload;
  return rest;
}

/**
 * The same for all hooks that run for one event. Gemini CLI has no call id but sends all of them one payload with one timestamp. The content is
 * part of the key, because two calls may share a millisecond.
 */
function firingKey(event: string, native: NativePayload): string | undefined {
  // Guards do not read the timestamp, so one of another type does not make the call unreadable.
  const { timestamp, tool_name, tool_input, prompt } = native.fields;
  const session = native.text("session_id");
  if (session === undefined || typeof timestamp !== "string" || event === "message:delta") return undefined;
  return `${session} ${event} ${timestamp} ${contentDigest(tool_name, tool_input, prompt)}`;
}
