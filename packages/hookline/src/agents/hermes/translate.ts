import { callKey, toolFields } from "../shared/common-fields.js";
import { isObject, type Json, type NativePayload, present } from "../shared/native-payload.js";
import { createTranslator } from "../shared/translator.js";
import { events, type HermesEvent } from "./events.js";
import { tools } from "./tools.js";

const FAILED = ["error", "timeout", "cancelled"];

/** The fields that only some events have. */
const details: { readonly [N in HermesEvent]?: (native: NativePayload) => Json } = {
  pre_llm_call: (native) => ({ prompt: native.needed("prompt") }),
  post_llm_call: (native) => present({ assistant_response: native.text("assistant_response") }),
  pre_tool_call: tool,
  post_tool_call: (native) => {
    const status = native.text("status") ?? "ok";
    if (!FAILED.includes(status)) return { ...tool(native), status };
    return {
      tool: { ...(tool(native).tool as Json), isError: true },
      status: "error",
      ...present({ error: native.text("error_message") }),
    };
  },
  pre_verify: (native) => ({ ...present({ message: native.text("final_response") }), isAgain: (native.number("attempt") ?? 0) > 0 }),
  subagent_start: (native) => worker(native, "running"),
  subagent_stop: (native) => ({
    ...worker(native, native.text("child_status") ?? "completed"),
    ...present({ message: native.text("child_summary") }),
  }),
  post_approval_response: (native) => present({ choice: native.text("choice"), decided_by: native.text("decided_by") }),
};

/** Translates an event of Hermes. */
export const translate = createTranslator({ agent: "hermes", events, details, normalize: inCommonWords, keyOf: callKey });

/** The payload with Claude Code's names of fields. What belongs to one event is in `extra`. */
function inCommonWords(payload: unknown): unknown {
  if (!isObject(payload)) return payload;
  const { extra: own, ...rest } = payload;
  const extra = isObject(own) ? own : {};
  return present({
    ...extra,
    ...rest,
    tool_use_id: extra.tool_call_id,
    tool_response: extra.result,
    prompt: extra.user_message,
    agent_id: undefined,
  });
}

function worker(native: NativePayload, status: string): Json {
  const id = native.text("child_subagent_id") ?? native.text("child_session_id") ?? "";
  return { worker: present({ id, name: native.text("child_role"), task: native.text("child_goal"), status }) };
}

function tool(native: NativePayload): Json {
  return toolFields(tools, native);
}
