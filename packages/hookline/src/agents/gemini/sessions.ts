import { join } from "node:path";
import { type Json, present } from "../shared/native-payload.js";
import {
  type AgentSessions,
  aboutSession,
  objectIn,
  objectsIn,
  type PastEvent,
  pastEvent,
  type SessionFile,
  type SessionReader,
  sessionFolder,
  textIn,
  textsIn,
  usageEvent,
} from "../shared/sessions.js";
import { translate } from "./translate.js";

/** `~/.gemini/tmp/<project>/chats/session-….jsonl`. Taken from Gemini CLI 0.61.0. */
export const sessions: AgentSessions = {
  folders: ({ GEMINI_CLI_HOME, HOME = "" }) =>
    sessionFolder(join(GEMINI_CLI_HOME ?? HOME, ".gemini", "tmp"), /^[^/]+\/chats\/(?:[^/]+\/)?[^/]+\.jsonl$/),
  open: createReader,
};

function createReader({ beside }: SessionFile): SessionReader {
  const cwd = beside("../.project_root")?.trim();
  let session = "";
  const seen = new Set<string>();

  /** A message is written again whenever something is added to it. */
  function isNew(key: string): boolean {
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  }

  const hookFields = (): Json => present({ session_id: session, cwd });

  function fromCall(call: Json, at: unknown): PastEvent[] {
    const id = textIn(call, "id");
    if (id === undefined) return [];
    const fields = { ...hookFields(), tool_name: call.name, tool_input: call.args, tool_use_id: id };
    const events: PastEvent[] = [];
    if (isNew(`before ${id}`)) events.push(pastEvent(translate, "BeforeTool", fields, { at, key: `before ${session} ${id}` }));
    const [result] = objectsIn(call, "result");
    if (result === undefined || !isNew(`after ${id}`)) return events;
    const { output, error } = objectIn(objectIn(result, "functionResponse"), "response");
    const response = present({ llmContent: output, error });
    return [
      ...events,
      pastEvent(
        translate,
        "AfterTool",
        { ...fields, tool_response: response },
        { at: call.timestamp ?? at, key: `after ${session} ${id}` },
      ),
    ];
  }

  function fromModel(record: Json, id: string): PastEvent[] {
    const { input, output, cached: cacheRead, thoughts: reasoning } = objectIn(record, "tokens");
    const about = aboutSession({ platform: "gemini", session, cwd, model: textIn(record, "model") });
    const usage = isNew(`usage ${id}`)
      ? [
          usageEvent(
            about,
            { input, output, cacheRead, reasoning, isCacheInInput: true, isReasoningBesideOutput: true },
            { at: record.timestamp, key: `usage ${session} ${id}` },
          ),
        ]
      : [];
    return [...usage, ...objectsIn(record, "toolCalls").flatMap((call) => fromCall(call, record.timestamp))];
  }

  function fromUser(record: Json, id: string): PastEvent[] {
    const texts = textsIn(record, "content");
    if (texts.length === 0 || !isNew(`prompt ${id}`)) return [];
    return [
      pastEvent(
        translate,
        "BeforeAgent",
        { ...hookFields(), prompt: texts.join("\n") },
        { at: record.timestamp, key: `prompt ${session} ${id}` },
      ),
    ];
  }

  return {
    read(record) {
      const id = textIn(record, "id");
      if (record.type === "gemini" && id !== undefined) return fromModel(record, id);
      if (record.type === "user" && id !== undefined) return fromUser(record, id);
      // Its first line, and again when the session is resumed.
      if (textIn(record, "sessionId") !== undefined && textIn(record, "startTime") !== undefined) {
        session = textIn(record, "sessionId") ?? "";
        return [];
      }
      const isSilent = Object.hasOwn(record, "$set") || Object.hasOwn(record, "$rewindTo") || SILENT.has(textIn(record, "type") ?? "");
      return isSilent ? [] : undefined;
    },
  };
}

/** What the program tells the person. */
const SILENT = new Set(["info", "error", "warning"]);
