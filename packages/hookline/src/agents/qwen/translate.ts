import { callKey, claudeDetails, workerFields } from "../shared/common-fields.js";
import { type Json, type NativePayload, present } from "../shared/native-payload.js";
import { createTranslator } from "../shared/translator.js";
import { events, type QwenEvent } from "./events.js";
import { tools } from "./tools.js";

/** The fields that only some events have. */
const details: { readonly [N in QwenEvent]?: (native: NativePayload) => Json } = {
  ...claudeDetails(tools),
  Stop: (native) => present({ message: native.text("last_assistant_message"), isAgain: native.flag("stop_hook_active") }),
  StopFailure: (native) => present({ error: native.fields.error }),
  SubagentStart: (native) => workerFields(native, "running"),
  SubagentStop: (native) => ({ ...workerFields(native, "completed"), ...present({ message: native.text("last_assistant_message") }) }),
  PreCompact: (native) => present({ trigger: native.text("trigger"), instructions: native.text("custom_instructions") }),
  Notification: (native) =>
    present({ message: native.text("message"), title: native.text("title"), kind: native.text("notification_type") }),
};

/** Translates an event of Qwen Code. */
export const translate = createTranslator({ agent: "qwen", events, details, eventOf, keyOf: callKey });

/** After a tool call it sends the event of a prompt again, with an empty text, without a prompt of the user. */
function eventOf(name: QwenEvent, native: NativePayload): string {
  const isAgain = name === "UserPromptSubmit" && native.fields.prompt === "" && native.fields.submitted_prompt === undefined;
  return isAgain ? "qwen:prompt_continued" : events[name].event;
}
