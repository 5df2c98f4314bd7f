import { join } from "node:path";
import { type Json, present } from "../shared/native-payload.js";
import {
  type AgentSessions,
  aboutSession,
  OpenCalls,
  objectIn,
  objectsIn,
  type PastEvent,
  pastEvent,
  type SessionReader,
  sessionFolder,
  textIn,
  usageEvent,
} from "../shared/sessions.js";
import { translate } from "./translate.js";

/** Records that tell of no event. */
const SILENT = new Set([
  ...["api-request", "api-request-blob", "api-request-shape", "artifact-autoreact-ledger", "atis-latch", "attachment", "bridge-session"],
  ...["content-replacement", "file-history-delta", "file-history-snapshot", "frame-link", "history-suppression", "last-prompt", "mode"],
  ...["pr-link", "queue-operation", "relocated", "repl-mode", "resume-head-vouch", "summary", "system", "tools-used"],
]);

/** `~/.claude/projects/<project>/<session>.jsonl`, and the subagents of a session in a folder of its name. Taken from Claude Code 2.1.325. */
export const sessions: AgentSessions = {
  folders: ({ CLAUDE_CONFIG_DIR, HOME = "" }) =>
    sessionFolder(join(CLAUDE_CONFIG_DIR ?? join(HOME, ".claude"), "projects"), /^[^/]+\/(?:[^/]+|[^/]+\/subagents\/[^/]+)\.jsonl$/),
  open: createReader,
  hasUsageAlone: true,
};

function createReader(): SessionReader {
  const calls = new OpenCalls();
  let version: string | undefined;
  /** The tokens of the last message: it is written once per part, and only the last record has all of them. */
  let usage: PastEvent | undefined;
  let cost = 0;

  function takeUsage(): PastEvent[] {
    const taken = usage === undefined ? [] : [usage];
    usage = undefined;
    return taken;
  }

  const hookFields = (record: Json): Json =>
    present({
      session_id: textIn(record, "sessionId"),
      cwd: textIn(record, "cwd"),
      prompt_id: textIn(record, "promptId"),
      agent_id: textIn(record, "agentId"),
      permission_mode: textIn(record, "permissionMode"),
    });

  function fromAssistant(record: Json): PastEvent[] {
    const message = objectIn(record, "message");
    const at = record.timestamp;
    const id = textIn(message, "id") ?? textIn(record, "uuid") ?? "";
    const session = textIn(record, "sessionId") ?? "";
    const before = usage?.key === `usage ${id}` ? [] : takeUsage();
    const {
      input_tokens: input,
      output_tokens: output,
      cache_read_input_tokens: cacheRead,
      cache_creation_input_tokens: cacheWrite,
    } = objectIn(message, "usage");
    const about = aboutSession({
      platform: "claude-code",
      session,
      cwd: textIn(record, "cwd"),
      model: textIn(message, "model"),
      agent: textIn(record, "agentId"),
    });
    usage = usageEvent(about, { input, output, cacheRead, cacheWrite }, { at, key: `usage ${id}` });
    const begun = objectsIn(message, "content").flatMap((block) => {
      const call = textIn(block, "id");
      if (block.type !== "tool_use" || call === undefined) return [];
      // A model's call of `Task` arrives at hooks as `Agent`.
      const name = block.name === "Task" ? "Agent" : (textIn(block, "name") ?? "");
      const fields = { ...hookFields(record), ...calls.begin(call, name, block.input) };
      return [pastEvent(translate, "PreToolUse", fields, { at, key: `before ${call}` })];
    });
    return [...before, ...begun];
  }

  function fromUser(record: Json): PastEvent[] {
    const message = objectIn(record, "message");
    const at = record.timestamp;
    const ended = objectsIn(message, "content").flatMap((block) => {
      const begun = calls.end(textIn(block, "tool_use_id"));
      if (block.type !== "tool_result" || begun === undefined) return [];
      const response = record.toolUseResult ?? block.content;
      const fields = { ...hookFields(record), ...begun, tool_response: response };
      const isError = block.is_error === true;
      const native = isError ? { name: "PostToolUseFailure", more: { error: block.content } } : { name: "PostToolUse", more: {} };
      return [pastEvent(translate, native.name, { ...fields, ...native.more }, { at, key: `after ${begun.tool_use_id}` })];
    });
    // What the program itself puts into the conversation says so.
    const isOwn = record.isMeta === true || record.isSidechain === true || record.origin !== undefined || record.promptSource === "system";
    const prompt = isOwn ? undefined : promptIn(message);
    if (prompt === undefined) return ended;
    return [
      ...ended,
      pastEvent(translate, "UserPromptSubmit", { ...hookFields(record), prompt }, { at, key: `prompt ${textIn(record, "uuid") ?? ""}` }),
    ];
  }

  /** The program adds up what a session has cost; an event has what came on top. */
  function fromCost(record: Json): PastEvent[] {
    const { totalCostUSD: total } = record;
    const session = textIn(record, "sessionId") ?? "";
    const at = lastAt;
    if (typeof total !== "number" || total <= cost || at === undefined) return [];
    const costUsd = total - cost;
    cost = total;
    return [
      {
        event: "turn:end",
        payload: { ...aboutSession({ platform: "claude-code", session }), usage: { costUsd } },
        at,
        key: `cost ${session} ${total}`,
      },
    ];
  }

  let lastAt: unknown;
  return {
    get version() {
      return version;
    },
    read(record) {
      version ??= textIn(record, "version");
      lastAt = record.timestamp ?? lastAt;
      const kind = textIn(record, "type");
      if (kind === "assistant") return fromAssistant(record);
      if (kind === "user") return fromUser(record);
      if (kind === "cost-state") return fromCost(record);
      return kind !== undefined && SILENT.has(kind) ? [] : undefined;
    },
    end: takeUsage,
  };
}

/** A prompt is text, or a list of parts of which some are text. */
function promptIn(message: Json): string | undefined {
  if (typeof message.content === "string") return message.content;
  const texts = objectsIn(message, "content").flatMap((block) => (block.type === "text" ? (textIn(block, "text") ?? []) : []));
  return texts.length === 0 ? undefined : texts.join("\n");
}
