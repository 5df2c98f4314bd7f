import { callKey, toolFields, withPaths } from "../shared/common-fields.js";
import { isObject, type Json, type NativePayload, present } from "../shared/native-payload.js";
import { createTranslator } from "../shared/translator.js";
import { type ClineEvent, events } from "./events.js";
import { tools } from "./tools.js";

/** The fields that only some events have. */
const details: { readonly [N in ClineEvent]?: (native: NativePayload) => Json } = {
  PreToolUse: tool,
  PostToolUse: (native) => (native.fields.error === undefined ? { ...tool(native), status: "ok" } : failed(native)),
  UserPromptSubmit: (native) => ({ prompt: native.needed("prompt") }),
  TaskComplete: (native) => present({ message: textIn(native.object("turn"), "outputText") }),
  TaskError: (native) => present({ error: native.fields.error }),
};

/** Translates an event of Cline. */
export const translate = createTranslator({ agent: "cline", events, details, normalize: inCommonWords, keyOf: callKey });

/** The payload with Claude Code's names of fields. Only a subagent has a parent. */
export function inCommonWords(payload: unknown): unknown {
  if (!isObject(payload)) return payload;
  const { sessionContext, taskId, workspaceRoots, agent_id: agent, parent_agent_id: parent, ...rest } = payload;
  const call = isObject(rest.tool_call) ? rest.tool_call : isObject(rest.tool_result) ? rest.tool_result : {};
  const [cwd] = Array.isArray(workspaceRoots) ? workspaceRoots : [];
  return present({
    ...rest,
    session_id: textIn(sessionContext, "rootSessionId") ?? taskId,
    cwd,
    agent_id: parent === null ? undefined : agent,
    tool_name: call.name,
    tool_input: call.input,
    tool_use_id: call.id,
    tool_response: call.output,
    duration_ms: call.durationMs,
    error: call.error ?? rest.error,
    prompt: textIn(rest.userPromptSubmit, "prompt") ?? rest.prompt,
  });
}

function tool(native: NativePayload): Json {
  return withPaths(toolFields(tools, native), "files");
}

function failed(native: NativePayload): Json {
  return { tool: { ...(tool(native).tool as Json), isError: true }, status: "error", error: native.fields.error };
}

function textIn(value: unknown, field: string): string | undefined {
  const found = isObject(value) ? value[field] : undefined;
  return typeof found === "string" ? found : undefined;
}
