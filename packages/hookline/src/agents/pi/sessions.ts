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
  textsIn,
  usageEvent,
} from "../shared/sessions.js";
import { requestUsage, translate } from "./translate.js";

/** `~/.pi/agent/sessions/<project>/<time>_<session>.jsonl`. Taken from pi 0.74.2. */
export const sessions: AgentSessions = {
  folders: ({ PI_CODING_AGENT_DIR, HOME = "" }) =>
    sessionFolder(join(PI_CODING_AGENT_DIR ?? join(HOME, ".pi", "agent"), "sessions"), /^[^/]+\/[^/]+\.jsonl$/),
  open: createReader,
};

/** Records that tell of no event, by pi's types. */
const SILENT = new Set([
  ...["session", "model_change", "thinking_level_change", "compaction", "branch_summary", "custom", "custom_message", "label"],
  "session_info",
]);

function createReader(): SessionReader {
  const calls = new OpenCalls();
  let [session, cwd]: (string | undefined)[] = [];

  const hookFields = (): Json => present({ session_id: session ?? "", cwd });

  function fromMessage(record: Json): PastEvent[] | undefined {
    const message = objectIn(record, "message");
    const moment = (what: string) => ({ at: record.timestamp, key: `${what} ${session} ${record.id}` });
    if (message.role === "user") {
      const text = typeof message.content === "string" ? message.content : textsIn(message, "content").join("\n");
      return text === "" ? [] : [pastEvent(translate, "input", { ...hookFields(), prompt: text }, moment("prompt"))];
    }
    if (message.role === "assistant") return fromModel(message, record);
    if (message.role === "toolResult") return fromResult(message, record);
    // A command that the user typed with "!", and notes of the program.
    return ["bashExecution", "custom", "branchSummary", "compactionSummary"].includes(String(message.role)) ? [] : undefined;
  }

  function fromModel(message: Json, { timestamp: at, id }: Json): PastEvent[] {
    const about = aboutSession({ platform: "pi", session: session ?? "", cwd, model: textIn(message, "model") });
    const usage = requestUsage(objectIn(message, "usage"));
    const begun = objectsIn(message, "content").flatMap((part) => {
      const [call, name] = [textIn(part, "id"), textIn(part, "name")];
      if (part.type !== "toolCall" || call === undefined || name === undefined) return [];
      const fields = { ...hookFields(), ...calls.begin(call, name, part.arguments) };
      return [pastEvent(translate, "tool_call", fields, { at, key: `before ${session} ${call}` })];
    });
    return [usageEvent(about, usage, { at, key: `usage ${session} ${id}` }), ...begun];
  }

  function fromResult(message: Json, { timestamp: at }: Json): PastEvent[] {
    const id = textIn(message, "toolCallId") ?? "";
    const name = textIn(message, "toolName");
    const call = calls.end(id) ?? (name === undefined ? undefined : { tool_name: name, tool_input: {}, tool_use_id: id });
    if (call === undefined) return [];
    const fields = { ...hookFields(), ...call, tool_response: message.content, is_error: message.isError };
    return [pastEvent(translate, "tool_result", fields, { at, key: `after ${session} ${id}` })];
  }

  return {
    read(record) {
      if (record.type === "session") [session, cwd] = [textIn(record, "id"), textIn(record, "cwd")];
      if (record.type === "message") return fromMessage(record);
      return SILENT.has(textIn(record, "type") ?? "") ? [] : undefined;
    },
  };
}
