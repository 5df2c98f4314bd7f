import { constants } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { type Json, present } from "../shared/native-payload.js";
import { databaseRecords, isJson, MAX_DATA } from "../shared/session-database.js";
import {
  type AgentSessions,
  aboutSession,
  objectIn,
  type PastEvent,
  type SessionReader,
  type SessionRecord,
  textIn,
  usageEvent,
} from "../shared/sessions.js";
import { toCommon } from "../shared/tool-table.js";
import { tools } from "./tools.js";
import { stepUsage } from "./translate.js";

const DATABASE = "opencode.db";

/**
 * `~/.local/share/opencode/opencode.db` since 1.2, and one JSON file per session, message and part in `storage/` before. Taken from OpenCode
 * 1.1.65, 1.2.27 and 1.18.33.
 */
export const sessions: AgentSessions = {
  folders({ XDG_DATA_HOME, HOME = "" }) {
    const folder = join(XDG_DATA_HOME ?? join(HOME, ".local", "share"), "opencode");
    return [
      // What OpenCode wrote last is often in the log alone.
      { path: folder, isSession: (relative) => relative === DATABASE, isFlat: true, besides: ["-wal"] },
      { path: join(folder, "storage", "session"), isSession: (relative) => /^[^/]+\/ses_\w+\.json$/.test(relative) },
    ];
  },
  open: createReader,
  records: ({ path }) => (basename(path) === DATABASE ? databaseRecords(path, database) : partsOf(path)),
};

/** Parts that tell of no event: the first five as seen, the others as OpenCode's types name them. */
const SILENT = new Set(["step-start", "patch", "text", "file", "reasoning", "agent", "compaction", "retry", "snapshot", "subtask"]);

/** Each record is a part, with its message and its session. */
function createReader(): SessionReader {
  let version: string | undefined;
  return {
    get version() {
      return version;
    },
    read(record) {
      const [part, message, session] = [objectIn(record, "part"), objectIn(record, "message"), objectIn(record, "session")];
      const [id, role, type] = [textIn(record, "id"), textIn(message, "role"), textIn(part, "type")];
      if (id === undefined || type === undefined || (role !== "user" && role !== "assistant")) return undefined;
      version = textIn(session, "version");
      const about = aboutOf(message, session);
      const at = record.at ?? objectIn(message, "time").created;
      if (type === "tool") return callEvents(part, about, { id, at });
      if (type === "step-finish") return [usageIn(part, about, { at, key: `usage ${id}` })];
      // A subagent's first message comes from the agent that started it.
      const isPrompt = type === "text" && role === "user" && part.synthetic !== true && textIn(session, "parentID") === undefined;
      if (isPrompt) return [{ event: "prompt:submit", payload: { ...about, prompt: part.text }, at, key: `prompt ${id}` }];
      return SILENT.has(type) ? [] : undefined;
    },
    kindOf: (record) => `part ${textIn(objectIn(record, "part"), "type") ?? "?"} of ${textIn(objectIn(record, "message"), "role") ?? "?"}`,
  };
}

function aboutOf(message: Json, session: Json): Json {
  const { cwd = session.directory } = objectIn(message, "path");
  const about = aboutSession({
    platform: "opencode",
    session: textIn(session, "id") ?? "",
    cwd: typeof cwd === "string" ? cwd : undefined,
    model: textIn(message, "modelID") ?? textIn(objectIn(message, "model"), "modelID"),
  });
  return { ...about, session: present({ id: textIn(session, "id"), parentId: textIn(session, "parentID") }) };
}

function callEvents(part: Json, about: Json, { id, at }: { readonly id: string; readonly at: unknown }): PastEvent[] {
  const state = objectIn(part, "state");
  const { start = at, end } = objectIn(state, "time");
  const call = { ...toCommon(tools, textIn(part, "tool") ?? "", state.input), ...present({ callId: textIn(part, "callID") }) };
  const events: PastEvent[] = [{ event: "tool:before", payload: { ...about, tool: call }, at: start, key: `before ${id}` }];
  if (state.status !== "completed" && state.status !== "error") return events;
  const isError = state.status === "error";
  const { exit } = objectIn(state, "metadata");
  const result = present({
    output: isError ? state.error : state.output,
    isError: isError ? true : undefined,
    exitCode: typeof exit === "number" ? exit : undefined,
    durationMs: typeof start === "number" && typeof end === "number" ? end - start : undefined,
  });
  return [...events, { event: "tool:after", payload: { ...about, tool: { ...call, ...result } }, at: end ?? start, key: `after ${id}` }];
}

function usageIn(part: Json, about: Json, moment: Pick<PastEvent, "at" | "key">): PastEvent {
  return usageEvent(about, stepUsage(part), moment);
}

/** Tables without calls and prompts, as in 1.2.27 and 1.18.33. `event` repeats what the parts say. */
const OTHER_TABLES = [
  ...["__drizzle_migrations", "account", "account_state", "control_account", "credential", "data_migration", "event", "event_sequence"],
  ...["migration", "permission", "project", "project_directory", "session_context_epoch", "session_share", "todo", "workspace"],
];
const database = { agent: "OpenCode", needed: ["message", "part", "session"], others: OTHER_TABLES, recordsIn };

function* recordsIn(database: DatabaseSync): Generator<SessionRecord> {
  const parts = database.prepare(
    `SELECT part.id, part.time_created AS at, iif(length(part.data) > ${MAX_DATA}, '', part.data) AS data,
            iif(length(message.data) > ${MAX_DATA}, '', message.data) AS message,
            json_object('id', session.id, 'parentID', session.parent_id, 'directory', session.directory, 'version', session.version) AS session
       FROM part JOIN message ON message.id = part.message_id JOIN session ON session.id = message.session_id
      ORDER BY session.time_created, session.id, part.id`,
  );
  for (const { id, at, data, message, session } of parts.iterate())
    yield recordOf({ id, at, part: String(data), message: String(message), session: String(session) });
}

function recordOf(of: { id: unknown; at?: unknown; part: string; message: string; session: string }): SessionRecord {
  const { id, at, part, message, session } = of;
  // Only whole values: a row with further keys would replace its message or its session. An empty text counts as unreadable.
  if (![part, message, session].every(isJson)) return { text: "", bytes: part.length };
  const text = `{"id":${JSON.stringify(id)},"at":${JSON.stringify(at ?? null)},"part":${part},"message":${message},"session":${session}}`;
  return { text: at === undefined ? text.replace('"at":null,', "") : text, bytes: part.length };
}

/** The parts of a session before 1.2: `message/<session>/<message>.json` and `part/<message>/<part>.json` beside the folder of sessions. */
async function* partsOf(path: string): AsyncGenerator<SessionRecord> {
  const storage = join(dirname(path), "..", "..");
  const session = await readSmall(path);
  for (const message of await idsIn(join(storage, "message", basename(path, ".json")))) {
    const text = await readSmall(message.path);
    for (const part of await idsIn(join(storage, "part", message.id)))
      yield recordOf({ id: part.id, part: await readSmall(part.path), message: text, session });
  }
}

async function idsIn(folder: string): Promise<{ readonly id: string; readonly path: string }[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isFile() && entry.name.endsWith(".json")).map(({ name }) => name);
  return names.sort().map((name) => ({ id: basename(name, ".json"), path: join(folder, name) }));
}

/** An empty text, which is not JSON and so counts as unreadable, for a file that is too long or cannot be read. */
async function readSmall(path: string): Promise<string> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = await file.stat();
    return found.isFile() && found.size <= MAX_DATA ? await file.readFile("utf8") : "";
  } catch {
    return "";
  }
}
