import { callKey, toolFields } from "../shared/common-fields.js";
import { isObject, type Json, type NativePayload, present } from "../shared/native-payload.js";
import { createTranslator } from "../shared/translator.js";
import { events, type GooseEvent } from "./events.js";
import { tools } from "./tools.js";

/** The fields that only some events have. */
const details: { readonly [N in GooseEvent]?: (native: NativePayload) => Json } = {
  UserPromptSubmit: (native) => ({ prompt: native.needed("prompt") }),
  PreToolUse: tool,
  PostToolUse: (native) => ({ ...tool(native), status: "ok" }),
  PostToolUseFailure: (native) => ({ tool: { ...(tool(native).tool as Json), isError: true }, status: "error" }),
  Stop: (native) => present({ message: native.text("last_assistant_message") }),
};

/** Translates an event of Goose. Only newer versions give calls an id. */
export const translate = createTranslator({ agent: "goose", events, details, normalize: inCommonWords, keyOf: callKey });

/** The payload with Claude Code's names of fields. */
function inCommonWords(payload: unknown): unknown {
  if (!isObject(payload)) return payload;
  const { message, working_dir: cwd, tool_call_id: id } = payload;
  return {
    ...payload,
    ...(message !== undefined && { prompt: message }),
    ...(cwd !== undefined && { cwd }),
    ...(id !== undefined && { tool_use_id: id }),
  };
}

function tool(native: NativePayload): Json {
  return toolFields(tools, native);
}
