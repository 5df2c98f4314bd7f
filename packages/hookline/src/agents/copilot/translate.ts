import { commonFields, toolFields } from "../shared/common-fields.js";
import { type Json, type NativePayload, present } from "../shared/native-payload.js";
import { contentDigest, createTranslator } from "../shared/translator.js";
import { type CopilotEvent, events } from "./events.js";
import { eventNamed, inOneSpelling } from "./spelling.js";
import { tools } from "./tools.js";

/** The fields that only some events have. */
const details: { readonly [N in CopilotEvent]?: (native: NativePayload) => Json } = {
  sessionStart: (native) => present({ trigger: native.text("source"), prompt: native.text("initial_prompt") }),
  sessionEnd: (native) => present({ reason: native.text("reason"), message: native.text("finalMessage"), error: native.fields.error }),
  userPromptSubmitted: (native) => ({ prompt: native.needed("prompt") }),
  userPromptTransformed: (native) => ({ prompt: native.needed("prompt") }),
  preToolUse: tool,
  preMcpToolCall: (native) => present({ server: native.text("server_name"), target: native.text("tool_name") }),
  permissionRequest: tool,
  postToolUse: (native) => ({ ...tool(native), status: "ok" }),
  postToolUseFailure: (native) => ({
    tool: { ...(tool(native).tool as Json), isError: true },
    status: "error",
    ...present({ error: native.fields.error }),
  }),
  agentStop: (native) => present({ reason: native.text("stop_reason"), isAgain: native.flag("stop_hook_active") }),
  errorOccurred: (native) => present({ error: native.fields.error, kind: native.text("error_context") }),
  subagentStart: (native) => worker(native, "running"),
  subagentStop: (native) => ({ ...worker(native, "completed"), ...present({ message: native.text("response") }) }),
  preCompact: (native) => present({ trigger: native.text("trigger"), instructions: native.text("custom_instructions") }),
  notification: (native) =>
    present({ message: native.text("message"), title: native.text("title"), kind: native.text("notification_type") }),
};

/** Translates an event of Copilot CLI, in either spelling. */
export const translate = createTranslator({
  agent: "copilot",
  events,
  details,
  nameOf: eventNamed,
  normalize: inOneSpelling,
  common: (native) => ({ ...commonFields("copilot", native), ...parentSession(native) }),
  keyOf: firingKey,
});

/** The events of a subagent, except permissionRequest, have a session id of their own. The translated session is the one that the user sees. */
function parentSession(native: NativePayload): Json {
  const [id, agent, parent] = [native.text("session_id"), native.text("agent_id"), native.text("parent_agent_id")];
  return parent !== undefined && id === agent ? { session: { id: parent } } : {};
}

function tool(native: NativePayload): Json {
  return toolFields(tools, native);
}

/** A subagent has a name before it has an id. */
function worker(native: NativePayload, status: string): Json {
  const name = native.text("agent_name") ?? native.text("agent_type");
  const task = native.text("agent_description");
  return { worker: present({ id: native.text("agent_id") ?? name ?? "", name, task, status }) };
}

/**
 * The same for all hooks that run for one event. Copilot CLI has no call id but sends one timestamp to all of them, as a number in one spelling and
 * as text in the other. The tool's name differs between the two spellings; its input does not. Two equal calls of one turn also share a timestamp:
 * they differ from a double delivery only because both come from the same hook.
 */
function firingKey(event: string, native: NativePayload): string | undefined {
  const [session, at] = [native.text("session_id"), timeOf(native.fields.timestamp)];
  if (session === undefined || Number.isNaN(at)) return undefined;
  return `${session} ${event} ${at} ${contentDigest(native.fields.tool_input, native.fields.prompt)}`;
}

function timeOf(timestamp: unknown): number {
  if (typeof timestamp === "number") return timestamp;
  return typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
}
