import { callKey, claudeDetails } from "../shared/common-fields.js";
import { isObject, type Json, type NativePayload, present } from "../shared/native-payload.js";
import { createTranslator } from "../shared/translator.js";
import { events, type KimiEvent } from "./events.js";
import { tools } from "./tools.js";

/** The fields that only some events have. */
const details: { readonly [N in KimiEvent]?: (native: NativePayload) => Json } = {
  ...claudeDetails(tools),
  Stop: (native) => present({ isAgain: native.flag("stop_hook_active") }),
  StopFailure: (native) => present({ error: native.text("error_message"), kind: native.text("error_type") }),
  SubagentStart: (native) => worker(native, "running"),
  SubagentStop: (native) => ({ ...worker(native, "completed"), ...present({ message: native.text("response") }) }),
  PreCompact: (native) => present({ trigger: native.text("trigger") }),
  Notification: (native) =>
    present({
      message: native.text("body") ?? native.text("message"),
      title: native.text("title"),
      kind: native.text("notification_type"),
    }),
};

/** Translates an event of Kimi Code. */
export const translate = createTranslator({ agent: "kimi", events, details, normalize: inCommonWords, keyOf: callKey });

/** The payload with Claude Code's names of fields. A prompt is a list of parts, of which the model reads the texts. */
function inCommonWords(payload: unknown): unknown {
  if (!isObject(payload)) return payload;
  const { tool_call_id: id, tool_output: output, prompt } = payload;
  return {
    ...payload,
    ...(id !== undefined && { tool_use_id: id }),
    ...(output !== undefined && { tool_response: output }),
    ...(Array.isArray(prompt) && { prompt: textOf(prompt) }),
  };
}

/** Undefined for a list without any text that could be judged. */
function textOf(parts: readonly unknown[]): unknown {
  const texts = parts.flatMap((part) => (isObject(part) && typeof part.text === "string" ? [part.text] : []));
  return texts.length === 0 && parts.length > 0 ? parts : texts.join("\n");
}

/** Its subagents have a name and no id. */
function worker(native: NativePayload, status: string): Json {
  const name = native.text("agent_name");
  return { worker: present({ id: name ?? "", name, task: native.text("prompt"), status }) };
}
