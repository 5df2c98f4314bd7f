import { callKey, toolFields } from "../shared/common-fields.js";
import { isObject, type Json, type NativePayload, present } from "../shared/native-payload.js";
import { createTranslator } from "../shared/translator.js";
import { type CursorEvent, events } from "./events.js";
import { tools } from "./tools.js";

const tool = (native: NativePayload): Json => toolFields(tools, native);

/** The fields that only some events have. */
const details: { readonly [N in CursorEvent]?: (native: NativePayload) => Json } = {
  sessionStart: (native) => present({ trigger: native.text("composer_mode") }),
  sessionEnd: (native) => present({ reason: native.text("reason") }),
  beforeSubmitPrompt: (native) => ({ prompt: native.needed("prompt") }),
  preToolUse: tool,
  postToolUse: (native) => ({ ...tool(native), status: "ok" }),
  postToolUseFailure: (native) => ({
    tool: { ...(tool(native).tool as Json), isError: true },
    status: "error",
    error: present({ message: native.text("error_message"), type: native.text("failure_type") }),
  }),
  subagentStart: (native) => worker(native, "running"),
  subagentStop: (native) => ({ ...worker(native, native.text("status") ?? "completed"), ...present({ message: native.text("summary") }) }),
  preCompact: (native) => present({ trigger: native.text("trigger") }),
  stop: (native) => ({ isAgain: (native.number("loop_count") ?? 0) > 0 }),
};

/** Translates an event of Cursor. */
export const translate = createTranslator({ agent: "cursor", events, details, normalize: withCommonNames, keyOf: callKey });

function worker(native: NativePayload, status: string): Json {
  const transcript = native.text("agent_transcript_path");
  return {
    worker: present({
      // The end of a subagent is reported without its id.
      id: native.text("subagent_id") ?? native.text("subagent_type") ?? "subagent",
      name: native.text("subagent_type"),
      status,
      metadata: transcript === undefined ? undefined : { transcript },
    }),
  };
}

/** Cursor's names for the fields of a session and of a tool's result. */
function withCommonNames(payload: unknown): unknown {
  if (!isObject(payload)) return payload;
  const { conversation_id, workspace_roots, tool_output, duration } = payload;
  const [root] = Array.isArray(workspace_roots) ? workspace_roots : [];
  return present({
    session_id: conversation_id,
    cwd: root,
    tool_response: typeof tool_output === "string" ? parsed(tool_output) : tool_output,
    duration_ms: duration,
    ...payload,
  });
}

/** Cursor sends a result as JSON text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
