import { isAbsolute, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Environment } from "../shared/definition.js";
import { isObject, type Json, present } from "../shared/native-payload.js";
import { databaseRecords, isJson, MAX_DATA } from "../shared/session-database.js";
import {
  type AgentSessions,
  OpenCalls,
  objectIn,
  objectsIn,
  type PastEvent,
  pastEvent,
  type SessionReader,
  type SessionRecord,
  textIn,
} from "../shared/sessions.js";
import { translate } from "./translate.js";

const DATABASE = "sessions.db";
const database = {
  agent: "Goose",
  needed: ["messages", "sessions"],
  others: ["provider_inventory_entries", "provider_inventory_models", "schema_version"],
  recordsIn,
};

/** `~/.local/share/goose/sessions/sessions.db`. Taken from Goose 1.34.0. It adds tokens up for a whole session, so no request has its own. */
export const sessions: AgentSessions = {
  folders: (env) => [
    { path: join(dataFolder(env), "sessions"), isSession: (relative) => relative === DATABASE, isFlat: true, besides: ["-wal"] },
  ],
  open: createReader,
  records: ({ path }) => databaseRecords(path, database),
};

/** A relative path counts as none. */
function dataFolder({ GOOSE_PATH_ROOT: root = "", XDG_DATA_HOME: data = "", HOME = "" }: Environment): string {
  if (isAbsolute(root)) return join(root, "data");
  return join(isAbsolute(data) ? data : join(HOME, ".local", "share"), "goose");
}

function* recordsIn(opened: DatabaseSync): Generator<SessionRecord> {
  const messages = opened.prepare(
    `SELECT messages.id, message_id, role, created_timestamp AS at, session_id, working_dir,
            iif(length(content_json) > ${MAX_DATA}, '', content_json) AS content, metadata_json AS metadata
       FROM messages JOIN sessions ON sessions.id = messages.session_id ORDER BY messages.id`,
  );
  for (const { id, message_id: name, role, at, session_id: session, working_dir: cwd, content, metadata } of messages.iterate()) {
    const bytes = String(content).length;
    // An empty text counts as unreadable.
    if (!isJson(String(content))) yield { text: "", bytes };
    const fields = JSON.stringify({ id: name ?? id, role, at: Number(at) * 1_000, session, cwd, metadata: String(metadata) });
    if (isJson(String(content))) yield { text: `${fields.slice(0, -1)},"content":${content}}`, bytes };
  }
}

/** Parts that tell of no event, as Goose's types name them. */
const SILENT = new Set([
  ...[
    "text",
    "image",
    "thinking",
    "redactedThinking",
    "reasoning",
    "systemNotification",
    "contextLengthExceeded",
    "summarizationRequested",
  ],
  ...["toolConfirmationRequest", "actionRequired", "frontendToolRequest"],
]);

function createReader(): SessionReader {
  const calls = new OpenCalls();

  function begin(part: Json, { session, cwd, at }: Json): PastEvent[] {
    const { name, arguments: input } = objectIn(objectIn(part, "toolCall"), "value");
    const id = textIn(part, "id");
    if (id === undefined || typeof name !== "string") return [];
    const fields = { session_id: session, working_dir: cwd, ...calls.begin(id, name, input) };
    return [pastEvent(translate, "PreToolUse", fields, { at, key: `before ${session} ${id}` })];
  }

  function end(part: Json, { session, cwd, at }: Json): PastEvent[] {
    const id = textIn(part, "id") ?? "";
    const call = calls.end(id);
    if (call === undefined) return [];
    const result = objectIn(part, "toolResult");
    const { content, isError, structuredContent } = objectIn(result, "value");
    const native = isError === true || result.status === "error" ? "PostToolUseFailure" : "PostToolUse";
    const fields = { session_id: session, working_dir: cwd, ...call };
    const found = pastEvent(translate, native, fields, { at, key: `after ${session} ${id}` });
    const output = present({
      output: textOf(content) ?? result.error,
      exitCode: isObject(structuredContent) ? structuredContent.exit_code : undefined,
    });
    return [{ ...found, payload: { ...found.payload, tool: { ...(found.payload.tool as Json), ...output } } }];
  }

  function promptIn(parts: readonly Json[], { session, cwd, at, id, role, metadata }: Json): PastEvent[] {
    const texts = parts.flatMap((part) => (part.type === "text" ? (textIn(part, "text") ?? []) : []));
    // A text that only the model sees comes from the program.
    const isHidden = typeof metadata === "string" && metadata.includes('"userVisible":false');
    if (role !== "user" || texts.length === 0 || isHidden) return [];
    const fields = { session_id: session, working_dir: cwd, message: texts.join("\n") };
    return [pastEvent(translate, "UserPromptSubmit", fields, { at, key: `prompt ${session} ${id}` })];
  }

  return {
    read(record) {
      const parts = objectsIn(record, "content");
      const isKnown = parts.every(({ type }) => type === "toolRequest" || type === "toolResponse" || SILENT.has(String(type)));
      if (!isKnown || (record.role !== "user" && record.role !== "assistant")) return undefined;
      const ofCalls = parts.flatMap((part) =>
        part.type === "toolRequest" ? begin(part, record) : part.type === "toolResponse" ? end(part, record) : [],
      );
      return [...ofCalls, ...promptIn(parts, record)];
    },
    kindOf: (record) =>
      `message of ${textIn(record, "role") ?? "?"} with ${objectsIn(record, "content")
        .map(({ type }) => type)
        .join(", ")}`,
  };
}

/** A list of texts as one. */
function textOf(content: unknown): unknown {
  if (!Array.isArray(content) || !content.every((part) => isObject(part) && typeof part.text === "string")) return content;
  return content.map(({ text }: { readonly text: string }) => text).join("\n");
}
