import { commonFields, ownEvent, toolFields } from "../shared/common-fields.js";
import type { Translated } from "../shared/definition.js";
import { type Json, type NativePayload, present, readNative } from "../shared/native-payload.js";
import { type CopilotEvent, events } from "./events.js";
import { fireKey } from "./fire-key.js";
import { eventNamed, inOneSpelling } from "./spelling.js";
import { tools } from "./tools.js";

/** An event of Copilot CLI in our words, from either of its spellings. */
export function translate(name: string, payload: unknown): Translated {
  const native = readNative(inOneSpelling(payload));
  const known = eventNamed(name);
  const event = known === undefined ? ownEvent("copilot", name) : events[known].event;
  const own = known === undefined ? {} : (details[known]?.(native) ?? {});
  const fields = { ...commonFields("copilot", native), ...parentSession(native), ...own, raw: payload };
  const key = fireKey(event, native);
  return {
    event,
    payload: native.unreadable.length === 0 ? fields : { ...fields, unreadable: native.unreadable },
    ...(key !== undefined && { key }),
  };
}

/** What an event says besides the usual. */
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

/** A subagent's events come under an id of its own, all but permissionRequest; the session is the one that a person sees. */
function parentSession(native: NativePayload): Json {
  const [id, agent, parent] = [native.text("session_id"), native.text("agent_id"), native.text("parent_agent_id")];
  return parent !== undefined && id === agent ? { session: { id: parent } } : {};
}

function tool(native: NativePayload): Json {
  return toolFields(tools, native);
}

/** A subagent is named before it has an id. */
function worker(native: NativePayload, status: string): Json {
  const name = native.text("agent_name") ?? native.text("agent_type");
  const task = native.text("agent_description");
  return { worker: present({ id: native.text("agent_id") ?? name ?? "", name, task, status }) };
}
