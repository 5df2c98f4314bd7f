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
import { translate } from "./translate.js";

/** `~/.qwen/projects/<project>/chats/<session>.jsonl`. Taken from Qwen Code 0.24.4. */
export const sessions: AgentSessions = {
  folders: ({ QWEN_HOME, HOME = "" }) => sessionFolder(join(QWEN_HOME ?? join(HOME, ".qwen"), "projects"), /^[^/]+\/chats\/[^/]+\.jsonl$/),
  open: createReader,
};

function createReader(): SessionReader {
  const calls = new OpenCalls();
  let version: string | undefined;

  const hookFields = (record: Json): Json =>
    present({ session_id: textIn(record, "sessionId"), cwd: textIn(record, "cwd"), model: textIn(record, "model") });

  function fromUser(record: Json): PastEvent[] {
    const texts = textsIn(objectIn(record, "message"), "parts");
    // Other texts come from the program.
    if (texts.length === 0 || (record.provenance ?? "real_user") !== "real_user") return [];
    const fields = { ...hookFields(record), prompt: texts.join("\n"), submitted_prompt: texts.join("\n") };
    return [pastEvent(translate, "UserPromptSubmit", fields, { at: record.timestamp, key: `prompt ${record.uuid}` })];
  }

  function fromModel(record: Json): PastEvent[] {
    const [session = "", cwd, model] = ["sessionId", "cwd", "model"].map((name) => textIn(record, name));
    const { promptTokenCount: input, candidatesTokenCount: output, ...more } = objectIn(record, "usageMetadata");
    const about = aboutSession({ platform: "qwen", session, cwd, model });
    const counted = { input, output, cacheRead: more.cachedContentTokenCount, reasoning: more.thoughtsTokenCount, isCacheInInput: true };
    const usage = input === undefined ? [] : [usageEvent(about, counted, { at: record.timestamp, key: `usage ${record.uuid}` })];
    const begun = partsOf(record).flatMap((part) => {
      const { id, name, args } = objectIn(part, "functionCall");
      if (typeof id !== "string" || typeof name !== "string") return [];
      const fields = { ...hookFields(record), ...calls.begin(id, name, args) };
      return [pastEvent(translate, "PreToolUse", fields, { at: record.timestamp, key: `before ${session} ${id}` })];
    });
    return [...usage, ...begun];
  }

  function fromResult(record: Json): PastEvent[] {
    return partsOf(record).flatMap((part) => {
      const found = objectIn(part, "functionResponse");
      const call = calls.end(textIn(found, "id"));
      if (call === undefined) return [];
      const { output, error } = objectIn(found, "response");
      const isError = objectIn(record, "toolCallResult").status === "error";
      const fields = { ...hookFields(record), ...call };
      const result = isError ? { error: error ?? output, tool_response: error ?? output } : { tool_response: output };
      const moment = { at: record.timestamp, key: `after ${record.sessionId} ${call.tool_use_id}` };
      return [pastEvent(translate, isError ? "PostToolUseFailure" : "PostToolUse", { ...fields, ...present(result) }, moment)];
    });
  }

  const readers: { readonly [type: string]: (record: Json) => PastEvent[] } = {
    user: fromUser,
    assistant: fromModel,
    tool_result: fromResult,
    // What the program notes for itself.
    system: () => [],
  };
  return {
    get version() {
      return version;
    },
    read(record) {
      version = textIn(record, "version") ?? version;
      const type = textIn(record, "type") ?? "";
      return Object.hasOwn(readers, type) ? readers[type]?.(record) : undefined;
    },
  };
}

function partsOf(record: Json): readonly Json[] {
  return objectsIn(objectIn(record, "message"), "parts");
}
