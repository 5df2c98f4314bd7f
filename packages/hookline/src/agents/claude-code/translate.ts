import { callKey, toolFields, workerFields } from "../shared/common-fields.js";
import { isObject, type Json, type NativePayload, present } from "../shared/native-payload.js";
import { createTranslator } from "../shared/translator.js";
import { type ClaudeEvent, events } from "./events.js";
import { tools } from "./tools.js";

/** The fields that only some events have. */
const details: { readonly [N in ClaudeEvent]?: (native: NativePayload) => Json } = {
  PreToolUse: tool,
  PostToolUse: (native) => ({ ...tool(native), status: wasInterrupted(native) ? "cancelled" : "ok" }),
  PostToolUseFailure: (native) => withError(tool(native), native),
  PostToolBatch: (native) => ({ calls: native.fields.tool_calls }),
  PermissionRequest: tool,
  PermissionDenied: (native) => ({ ...tool(native), approval: present({ verdict: "deny", reason: native.text("reason") }) }),
  Notification: (native) =>
    present({ message: native.text("message"), title: native.text("title"), kind: native.text("notification_type") }),
  UserPromptSubmit: (native) => ({ prompt: native.needed("prompt") }),
  UserPromptExpansion: (native) =>
    present({ prompt: native.text("prompt"), command: native.needed("command_name"), args: native.text("command_args") }),
  SessionStart: (native) => present({ trigger: native.text("source") }),
  SessionEnd: (native) => present({ reason: native.text("reason") }),
  Stop: (native) => present({ message: native.text("last_assistant_message"), isAgain: native.flag("stop_hook_active") }),
  StopFailure: (native) => present({ error: native.fields.error, message: native.text("error_details") }),
  SubagentStart: (native) => workerFields(native, "running"),
  SubagentStop: (native) => ({ ...workerFields(native, "completed"), ...present({ message: native.text("last_assistant_message") }) }),
  PreCompact: (native) => present({ trigger: native.text("trigger"), instructions: native.text("custom_instructions") }),
  PostCompact: (native) => present({ trigger: native.text("trigger"), summary: native.text("compact_summary") }),
  PostModelSwitch: (native) => present({ from: native.text("from_model"), to: native.text("to_model") }),
  TeammateIdle: (native) => ({
    worker: { id: native.needed("teammate_name"), name: native.text("teammate_name") ?? "", status: "waiting" },
  }),
  TaskCreated: task,
  TaskCompleted: task,
  Elicitation: elicitation,
  ElicitationResult: elicitation,
  InstructionsLoaded: target("file_path"),
  ConfigChange: target("file_path"),
  CwdChanged: (native) => present({ cwd: native.text("new_cwd"), from: native.text("old_cwd") }),
  FileChanged: (native) => ({ ...target("file_path")(native), ...present({ change: native.text("event") }) }),
  DirectoryAdded: target("directory"),
  MessageDisplay: (native) => present({ message: native.text("delta"), messageId: native.text("message_id") }),
};

/** Translates an event of Claude Code. */
export const translate = createTranslator({ agent: "claude-code", events, details, eventOf, keyOf });

function eventOf(name: ClaudeEvent, native: NativePayload): string {
  if (name === "MessageDisplay") return native.flag("final") ? "message:complete" : "message:delta";
  return name === "UserPromptExpansion" ? commandEvent(native) : events[name].event;
}

/** `command:deploy`. A name that is not valid in an event keeps its letters. */
function commandEvent(native: NativePayload): string {
  const words = (native.text("command_name") ?? "").replace(/^\/+/, "").split(":");
  const name = words.map((word) => word.replace(/[\s*\p{Cc}]+/gu, "_")).filter((word) => word !== "");
  return `command:${name.join(":") || "unknown"}`;
}

function keyOf(event: string, native: NativePayload, name: string): string | undefined {
  if (name !== "MessageDisplay") return callKey(event, native);
  const [message, index] = [native.text("message_id"), native.number("index")];
  return message === undefined || index === undefined ? undefined : `${message} ${index}`;
}

function tool(native: NativePayload): Json {
  return toolFields(tools, native);
}

function withError(fields: Json, native: NativePayload): Json {
  const status = native.flag("is_interrupt") ? "cancelled" : native.flag("is_timeout") ? "timeout" : "error";
  return { tool: { ...(fields.tool as Json), isError: true }, status, ...present({ error: native.fields.error }) };
}

function wasInterrupted({ fields: { tool_response: response } }: NativePayload): boolean {
  return isObject(response) && response.interrupted === true;
}

function task(native: NativePayload): Json {
  const described = present({
    id: native.text("task_id"),
    subject: native.text("task_subject"),
    description: native.text("task_description"),
  });
  return { task: described, ...present({ teammate: native.text("teammate_name") }) };
}

function elicitation(native: NativePayload): Json {
  return present({ server: native.text("mcp_server_name"), message: native.text("message"), action: native.text("action") });
}

function target(field: string): (native: NativePayload) => Json {
  return (native) => present({ target: native.text(field) });
}
