import { callKey, toolFields, withPaths } from "../shared/common-fields.js";
import { isObject, type Json, type NativePayload, present } from "../shared/native-payload.js";
import { createTranslator } from "../shared/translator.js";
import { events, type KiroEvent } from "./events.js";
import { tools } from "./tools.js";

/** The fields that only some events have. */
const details: { readonly [N in KiroEvent]?: (native: NativePayload) => Json } = {
  UserPromptSubmit: (native) => ({ prompt: native.needed("prompt") }),
  PreToolUse: tool,
  PostToolUse: (native) => {
    const { tool_response: output } = native.fields;
    return { ...tool(native), status: isObject(output) && output.success === false ? "error" : "ok" };
  },
  Stop: (native) => present({ message: native.text("assistant_response") }),
};

/** Translates an event of Kiro. */
export const translate = createTranslator({ agent: "kiro", events, details, normalize: withSession, keyOf: callKey });

/** Some versions send no session: all sessions of a folder are one then. */
function withSession(payload: unknown): unknown {
  if (!isObject(payload) || payload.session_id !== undefined || typeof payload.cwd !== "string") return payload;
  return { ...payload, session_id: `kiro in ${payload.cwd}` };
}

function tool(native: NativePayload): Json {
  return withPaths(toolFields(tools, native), "operations");
}
