import { join } from "node:path";
import { type Json, present } from "../shared/native-payload.js";
import {
  type AgentSessions,
  aboutSession,
  OpenCalls,
  objectIn,
  type PastEvent,
  pastEvent,
  type SessionReader,
  sessionFolder,
  textIn,
  usageEvent,
} from "../shared/sessions.js";
import { translate } from "./translate.js";

/** `~/.copilot/session-state/<session>/events.jsonl`. Taken from Copilot CLI 1.0.102. */
export const sessions: AgentSessions = {
  folders: ({ COPILOT_HOME, HOME = "" }) =>
    sessionFolder(join(COPILOT_HOME ?? join(HOME, ".copilot"), "session-state"), /^[^/]+\/events\.jsonl$/),
  open: createReader,
};

/** Records that tell of no event. */
const SILENT = new Set(["assistant.message", "assistant.turn_end", "assistant.turn_start", "session.shutdown", "system.message"]);

function createReader(): SessionReader {
  const calls = new OpenCalls();
  let session = "";
  let version: string | undefined;
  let cwd: string | undefined;

  const hookFields = (): Json => present({ session_id: session, cwd });

  function begin(data: Json, at: unknown): PastEvent[] {
    const call = textIn(data, "toolCallId");
    const name = textIn(data, "toolName");
    if (call === undefined || name === undefined) return [];
    const fields = { ...hookFields(), ...calls.begin(call, name, data.arguments) };
    return [pastEvent(translate, "preToolUse", fields, { at, key: `before ${session} ${call}` })];
  }

  function end(data: Json, at: unknown): PastEvent[] {
    const begun = calls.end(textIn(data, "toolCallId"));
    if (begun === undefined) return [];
    const fields = { ...hookFields(), ...begun, tool_response: data.result, ...present({ error: data.error }) };
    const native = data.success === false ? "postToolUseFailure" : "postToolUse";
    return [pastEvent(translate, native, fields, { at, key: `after ${session} ${begun.tool_use_id}` })];
  }

  return {
    get version() {
      return version;
    },
    read(record) {
      const data = objectIn(record, "data");
      const at = record.timestamp;
      const key = textIn(record, "id") ?? "";
      switch (record.type) {
        case "session.start":
          session = textIn(data, "sessionId") ?? "";
          version = textIn(data, "copilotVersion");
          cwd = textIn(objectIn(data, "context"), "cwd");
          return [];
        case "session.resume":
          cwd = textIn(objectIn(data, "context"), "cwd") ?? cwd;
          return [];
        case "user.message":
          return [pastEvent(translate, "userPromptSubmitted", { ...hookFields(), prompt: data.content }, { at, key: `prompt ${key}` })];
        case "tool.execution_start":
          return begin(data, at);
        case "tool.execution_complete":
          return end(data, at);
        case "session.usage_record": {
          const { inputTokens: input, outputTokens: output, cacheReadTokens, cacheWriteTokens, model } = objectIn(data, "usage");
          const about = aboutSession({ platform: "copilot", session, cwd, model: typeof model === "string" ? model : undefined });
          const cache = { cacheRead: cacheReadTokens, cacheWrite: cacheWriteTokens, isCacheInInput: true };
          return [usageEvent(about, { input, output, ...cache }, { at, key: `usage ${key}` })];
        }
        default:
          return typeof record.type === "string" && SILENT.has(record.type) ? [] : undefined;
      }
    },
  };
}
