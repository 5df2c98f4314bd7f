import { isObject, type Json, type NativePayload, present } from "./native-payload.js";
import { type ToolTable, toCommon } from "./tool-table.js";

/** The fields of every event in the Claude dialect: session, agent, turn and folder. */
export function commonFields(platform: string, native: NativePayload): Json {
  const id = native.needed("session_id");
  const turn = native.text("prompt_id") ?? native.text("turn_id");
  return present({
    session: id === "" ? undefined : { id },
    agent: present({ name: native.text("agent_type"), id: native.text("agent_id"), model: native.text("model"), platform }),
    turn: turn === undefined ? undefined : { id: turn },
    cwd: native.text("cwd"),
    transcript: native.text("transcript_path"),
    permissionMode: native.text("permission_mode"),
  });
}

/** The tool of a tool event, with common names. */
export function toolFields(table: ToolTable, native: NativePayload): Json {
  const name = native.needed("tool_name");
  const input = Object.hasOwn(native.fields, "tool_input") ? native.fields.tool_input : undefined;
  // Records a missing or non-object value, but passes the value on unchanged.
  native.neededObject("tool_input");
  return {
    tool: present({
      ...toCommon(table, name, input),
      callId: native.text("tool_use_id"),
      output: native.fields.tool_response,
      durationMs: native.number("duration_ms"),
    }),
  };
}

/** For a tool that names several files in a list: rules about a single file read `path`; rules about any file read `paths`. */
export function withPaths({ tool }: Json, field: string): Json {
  const fields = tool as Json & { readonly input: Json };
  const { input } = fields;
  const list = input[field];
  if (!Array.isArray(list)) return { tool };
  const paths = list.flatMap((file: unknown) => (isObject(file) && typeof file.path === "string" ? [file.path] : []));
  return { tool: { ...fields, input: { ...input, ...(paths.length === 1 && { path: paths[0] }), paths } } };
}

/** The details of the events that agents have taken over from Claude Code. */
export function claudeDetails(tools: ToolTable) {
  const tool = (native: NativePayload): Json => toolFields(tools, native);
  return {
    SessionStart: (native: NativePayload) => present({ trigger: native.text("source") }),
    SessionEnd: (native: NativePayload) => present({ reason: native.text("reason") }),
    UserPromptSubmit: (native: NativePayload) => ({ prompt: native.needed("prompt") }),
    PreToolUse: tool,
    PermissionRequest: tool,
    PostToolUse: (native: NativePayload) => ({ ...tool(native), status: "ok" }),
    PostToolUseFailure: (native: NativePayload) => ({
      tool: { ...(tool(native).tool as Json), isError: true },
      status: "error",
      ...present({ error: native.fields.error }),
    }),
    PostCompact: (native: NativePayload) => present({ trigger: native.text("trigger") }),
  };
}

/** The subagent that an event is about. */
export function workerFields(native: NativePayload, status: string): Json {
  const transcript = native.text("agent_transcript_path");
  return {
    worker: present({
      id: native.needed("agent_id"),
      name: native.text("agent_type"),
      status,
      metadata: transcript === undefined ? undefined : { transcript },
    }),
  };
}

/** The same for each delivery of one tool call's event. */
export function callKey(event: string, native: NativePayload): string | undefined {
  const [session, call] = [native.text("session_id"), native.text("tool_use_id")];
  return session === undefined || call === undefined ? undefined : `${session} ${event} ${call}`;
}

/** Turns `SomethingNew` into the agent's custom event name, such as `codex:something_new`. */
export function ownEvent(agent: string, native: string): string {
  const snake = String(native)
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .toLowerCase()
    .slice(0, 64);
  return `${agent}:${snake === "" ? "unknown" : snake}`;
}
