import { callKey, toolFields } from "../shared/common-fields.js";
import { isObject, type Json, type NativePayload, present } from "../shared/native-payload.js";
import { createTranslator } from "../shared/translator.js";
import { type AntigravityEvent, events } from "./events.js";
import { tools } from "./tools.js";

/** The fields that only some events have. */
const details: { readonly [N in AntigravityEvent]?: (native: NativePayload) => Json } = {
  PreToolUse: tool,
  PostToolUse: (native) => {
    const error = native.text("error");
    // A call that did not begin is reported without its tool.
    const call = isObject(native.fields.toolCall) ? tool(native) : {};
    return error === undefined || error === "" ? { ...call, status: "ok" } : { ...call, status: "error", error };
  },
  Stop: (native) => present({ reason: native.text("terminationReason") }),
};

/** Translates an event of Antigravity CLI. */
export const translate = createTranslator({ agent: "antigravity", events, details, normalize: inCommonWords, keyOf: callKey });

/** The payload with Claude Code's names of fields. A call has the number of its step. */
export function inCommonWords(payload: unknown): unknown {
  if (!isObject(payload)) return payload;
  const { conversationId, workspacePaths, transcriptPath, modelName, stepIdx, toolCall } = payload;
  const call = isObject(toolCall) ? toolCall : {};
  const [cwd] = Array.isArray(workspacePaths) ? workspacePaths : [];
  return present({
    ...payload,
    session_id: conversationId,
    cwd,
    model: modelName,
    transcript_path: transcriptPath === "" ? undefined : transcriptPath,
    tool_name: call.name,
    tool_input: call.args,
    tool_response: payload.toolResult,
    tool_use_id: typeof stepIdx === "number" ? String(stepIdx) : undefined,
  });
}

function tool(native: NativePayload): Json {
  return toolFields(tools, native);
}
