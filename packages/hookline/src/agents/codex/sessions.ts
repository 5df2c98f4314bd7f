import { join } from "node:path";
import { isObject, type Json, present } from "../shared/native-payload.js";
import {
  type AgentSessions,
  OpenCalls,
  objectIn,
  type PastEvent,
  pastEvent,
  type SessionReader,
  textIn,
  textsIn,
} from "../shared/sessions.js";
import { translate } from "./translate.js";

/** Kinds of lines that tell of no event. */
const SILENT = new Set(["compacted", "ghost_snapshot", "world_state", "turn_aborted"]);

/** `~/.codex/sessions/<year>/<month>/<day>/rollout-….jsonl`. Taken from Codex 0.166.0. */
export const sessions: AgentSessions = {
  folders: ({ CODEX_HOME, HOME = "" }) =>
    ["sessions", "archived_sessions"].map((name) => ({
      path: join(CODEX_HOME ?? join(HOME, ".codex"), name),
      isSession: (relative) => /^(?:\d+\/\d+\/\d+\/)?rollout-[^/]+\.jsonl$/.test(relative),
    })),
  open: createReader,
};

function createReader(): SessionReader {
  const calls = new OpenCalls();
  let meta: Json = {};
  let turn: Json = {};
  let hasRecords = false;
  let count = 0;

  const hookFields = (): Json => {
    const id = textIn(meta, "id");
    const session = textIn(meta, "session_id") ?? id;
    return present({
      session_id: session,
      agent_id: id === session ? undefined : id,
      cwd: textIn(turn, "cwd") ?? textIn(meta, "cwd"),
      model: textIn(turn, "model"),
      turn_id: textIn(turn, "turn_id"),
    });
  };

  function begin(item: Json, at: unknown): PastEvent[] {
    const call = textIn(item, "call_id");
    if (call === undefined) return [];
    const { name, input } = calledTool(item);
    const fields = { ...hookFields(), ...calls.begin(call, name, input) };
    return [pastEvent(translate, "PreToolUse", fields, { at, key: `before ${call}` })];
  }

  function end(item: Json, at: unknown): PastEvent[] {
    const begun = calls.end(textIn(item, "call_id"));
    if (begun === undefined) return [];
    const fields = { ...hookFields(), ...begun, tool_response: item.output };
    return [pastEvent(translate, "PostToolUse", fields, { at, key: `after ${begun.tool_use_id}` })];
  }

  function fromItem(item: Json, at: unknown): PastEvent[] {
    switch (item.type) {
      case "function_call":
      case "custom_tool_call":
      case "local_shell_call":
        return begin(item, at);
      case "function_call_output":
      case "custom_tool_call_output":
        return end(item, at);
      default:
        return [];
    }
  }

  function prompt(text: string, at: unknown): PastEvent[] {
    return [
      pastEvent(
        translate,
        "UserPromptSubmit",
        { ...hookFields(), prompt: text },
        { at, key: `prompt ${textIn(meta, "id") ?? ""} ${count}` },
      ),
    ];
  }

  function tokens(usage: Json, at: unknown, id: string): PastEvent[] {
    return [pastEvent(translate, "PostModelRequest", { ...hookFields(), token_usage: usage }, { at, key: `usage ${id}` })];
  }

  function fromMessage(message: Json, at: unknown): PastEvent[] {
    const item = objectIn(message, "item");
    if (message.type === "item_completed" && item.type === "UserMessage") {
      const texts = textsIn(item, "content");
      return texts.length === 0 ? [] : prompt(texts.join("\n"), at);
    }
    // Versions before these records have the same in other messages.
    if (message.type === "user_message" && typeof message.message === "string") return prompt(message.message, at);
    const last = objectIn(objectIn(message, "info"), "last_token_usage");
    if (message.type === "token_count" && !hasRecords && Object.keys(last).length > 0)
      return tokens(last, at, `${textIn(meta, "id") ?? ""} ${count}`);
    return [];
  }

  return {
    get version() {
      return textIn(meta, "cli_version");
    },
    read(record) {
      count++;
      const payload = objectIn(record, "payload");
      const at = record.timestamp;
      switch (record.type) {
        case "session_meta":
          // A session that was forked repeats the first lines of the other.
          if (Object.keys(meta).length === 0) meta = payload;
          return [];
        case "turn_context":
          turn = payload;
          return [];
        case "response_item":
          return fromItem(payload, at);
        case "event_msg":
          return fromMessage(payload, at);
        case "token_usage_record":
          hasRecords = true;
          return tokens(objectIn(payload, "usage"), at, textIn(payload, "response_id") ?? `${textIn(meta, "id") ?? ""} ${count}`);
        default:
          return typeof record.type === "string" && SILENT.has(record.type) ? [] : undefined;
      }
    },
  };
}

const SHELLS = new Set(["exec_command", "shell", "shell_command", "local_shell", "container.exec"]);

/** A call as its hook gets it: every shell is `Bash` with a `command`, and a patch has its text there too. */
function calledTool(item: Json): { readonly name: string; readonly input: unknown } {
  if (item.type === "local_shell_call") return { name: "Bash", input: { command: objectIn(item, "action").command } };
  const name = textIn(item, "name") ?? "";
  if (item.type === "custom_tool_call") return { name, input: name === "apply_patch" ? { command: item.input } : { input: item.input } };
  const given = parsed(item.arguments);
  if (!SHELLS.has(name) || !isObject(given)) return { name, input: given };
  const { cmd, command = cmd, ...rest } = given;
  return { name: "Bash", input: { ...rest, command } };
}

/** The arguments are JSON within JSON. What is not JSON stays text. */
function parsed(text: unknown): unknown {
  if (typeof text !== "string") return text;
  try {
    return JSON.parse(text);
  } catch {
    return { value: text };
  }
}
