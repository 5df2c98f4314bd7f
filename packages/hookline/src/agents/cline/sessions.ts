import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Json, present } from "../shared/native-payload.js";
import {
  type AgentSessions,
  aboutSession,
  OpenCalls,
  objectIn,
  objectOf,
  objectsIn,
  type PastEvent,
  pastEvent,
  type SessionFile,
  type SessionReader,
  type SessionRecord,
  sessionFolder,
  textIn,
  usageEvent,
} from "../shared/sessions.js";
import { translate } from "./translate.js";

const ENDING = ".messages.json";

/** `~/.cline/data/sessions/<session>/<session>.messages.json`: one document with all messages. Taken from Cline 3.0.65. */
export const sessions: AgentSessions = {
  folders: ({ CLINE_DIR, HOME = "" }) =>
    sessionFolder(join(CLINE_DIR ?? join(HOME, ".cline"), "data", "sessions"), /^[^/]+\/[^/]+\.messages\.json$/),
  open: createReader,
  records,
};

/** Each record is a message. */
async function* records({ path }: SessionFile): AsyncGenerator<SessionRecord> {
  const document = JSON.parse(await readFile(path, "utf8")) as Json;
  for (const message of Array.isArray(document.messages) ? document.messages : []) {
    const text = JSON.stringify(message);
    yield { text, bytes: text.length };
  }
}

function createReader({ path, beside }: SessionFile): SessionReader {
  const calls = new OpenCalls();
  const session = basename(path, ENDING);
  const about = objectOf(beside(`${session}.json`));
  const cwd = textIn(about, "cwd");
  const version = textIn(objectIn(objectIn(about, "metadata"), "sessionHistoryOrigin"), "version");

  const past = (native: string, fields: Json, moment: Pick<PastEvent, "at" | "key">): PastEvent =>
    pastEvent(
      translate,
      native,
      { taskId: session, workspaceRoots: cwd === undefined ? [] : [cwd], parent_agent_id: null, ...fields },
      moment,
    );

  function fromPart(part: Json, { ts: at, id }: Json): PastEvent[] {
    if (part.type === "tool_use") {
      const [call = "", name = ""] = [textIn(part, "id"), textIn(part, "name")];
      const { tool_input: input } = calls.begin(call, name, part.input);
      return [past("PreToolUse", { tool_call: { id: call, name, input } }, { at, key: `before ${session} ${call}` })];
    }
    if (part.type === "tool_result") {
      const call = textIn(part, "tool_use_id") ?? "";
      const { tool_name: name = textIn(part, "name"), tool_input: input = {} } = calls.end(call) ?? {};
      const result = present({ id: call, name, input, output: part.content, error: part.is_error === true ? "failed" : undefined });
      return [past("PostToolUse", { tool_result: result }, { at, key: `after ${session} ${call}` })];
    }
    const text = part.type === "text" ? textIn(part, "text") : undefined;
    const [, typed] = /^<user_input[^>]*>([\s\S]*)<\/user_input>$/.exec(text ?? "") ?? [];
    return typed === undefined ? [] : [past("UserPromptSubmit", { prompt: typed }, { at, key: `prompt ${session} ${id}` })];
  }

  return {
    version,
    read(message) {
      const { role } = message;
      if (role !== "user" && role !== "assistant") return undefined;
      const { inputTokens: input, outputTokens: output } = objectIn(message, "metrics");
      const model = textIn(objectIn(message, "modelInfo"), "id");
      const moment = { at: message.ts, key: `usage ${session} ${message.id}` };
      const usage =
        input === undefined ? [] : [usageEvent(aboutSession({ platform: "cline", session, cwd, model }), { input, output }, moment)];
      return [...usage, ...objectsIn(message, "content").flatMap((part) => fromPart(part, message))];
    },
    kindOf: (message) => `message of ${textIn(message, "role") ?? "?"}`,
  };
}
