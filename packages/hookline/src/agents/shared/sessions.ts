import { type ReportedUsage, usageOf } from "@hookline/core/internal";
import type { AgentDialect, Environment, Translated } from "./definition.js";
import { isObject, type Json, present } from "./native-payload.js";

/** The files in which an agent keeps its sessions: JSON, one record per line, unless the agent's `records` reads them. */
export interface AgentSessions {
  /** Where the files are. */
  folders(env: Environment): readonly SessionFolder[];
  /** Begins to read a file. */
  open(file: SessionFile): SessionReader;
  /** The agent's hooks do not report tokens: the file is the only source. */
  readonly hasUsageAlone?: true;
  /** Reads a file of another form. Changes nothing, and throws if it cannot be read. */
  records?(file: SessionFile): AsyncIterable<SessionRecord>;
}

/** JSON text of a record, with how much of the file it is; or how many records of a kind there are that cannot be read. */
export type SessionRecord = { readonly text: string; readonly bytes: number } | { readonly unknown: string; readonly rows: number };

export interface SessionFolder {
  readonly path: string;
  /** Whether a file is a session, by its path below the folder, with `/` between names. */
  isSession(relative: string): boolean;
  /** Its folders have no sessions. */
  readonly isFlat?: boolean;
  /** Endings of files beside a session that belong to it: their size and time count, too. */
  readonly besides?: readonly string[];
}

/** For an agent with all sessions below one folder, as files whose path there matches. */
export function sessionFolder(path: string, files: RegExp): readonly SessionFolder[] {
  return [{ path, isSession: (relative) => files.test(relative) }];
}

export interface SessionFile {
  readonly path: string;
  /** The text of a small file, by its path relative to the session's folder. Undefined if it cannot be read. */
  beside(relative: string): string | undefined;
}

/** Reads the records of one file, in order. */
export interface SessionReader {
  /** The events that a record tells of. Undefined for a record of an unknown kind. */
  read(record: Json): readonly PastEvent[] | undefined;
  /** The events that only the end of the file completes. */
  end?(): readonly PastEvent[];
  /** How lists name an unknown record: by its `type` without this. */
  kindOf?(record: Json): string;
  /** The version of the agent that wrote the file, as far as it is known by now. */
  readonly version?: string | undefined;
}

/** An event that happened before Hookline saw the agent. */
export interface PastEvent extends Pick<Translated, "event" | "payload"> {
  /** ISO 8601, or milliseconds since 1970. */
  readonly at: unknown;
  /** The same whenever this event is read, and no other event of the agent has it. */
  readonly key: string;
}

type Moment = Pick<PastEvent, "at" | "key">;

/** The event that the agent's hook would have reported. Its payload has no `raw`, because no hook has sent it. */
export function pastEvent(translate: AgentDialect["translate"], native: string, fields: Json, moment: Moment): PastEvent {
  const { event, payload } = translate(native, fields);
  const { raw: _, ...rest } = payload;
  return { event, payload: rest, ...moment };
}

/** The tokens of a request to a model. Counts that the record does not have stay unknown. */
export function usageEvent(about: Json, usage: ReportedUsage, moment: Moment): PastEvent {
  return { event: "llm:after", payload: { ...about, usage: usageOf(usage) }, ...moment };
}

/** The calls of a file that have begun, so that the record of a result finds its call. */
export class OpenCalls {
  readonly #calls = new Map<string, OpenCall>();

  /** Gives the fields with which a hook reports the call. */
  begin(id: string, name: string, input: unknown): OpenCall {
    // A file that begins calls without end must not fill the memory: the oldest is given up.
    const [oldest] = this.#calls.keys();
    if (this.#calls.size >= MAX_OPEN && oldest !== undefined) this.#calls.delete(oldest);
    const call = { tool_name: name, tool_input: input ?? {}, tool_use_id: id };
    this.#calls.set(id, call);
    return call;
  }

  /** Gives the same fields once. Undefined for a call that has not begun in the file. */
  end(id: string | undefined): OpenCall | undefined {
    const call = this.#calls.get(id ?? "");
    this.#calls.delete(id ?? "");
    return call;
  }
}

const MAX_OPEN = 10_000;

/** As most agents name the fields. */
interface OpenCall extends Json {
  readonly tool_name: string;
  readonly tool_input: unknown;
  readonly tool_use_id: string;
}

/** A text field of a record. */
export function textIn(record: Json, name: string): string | undefined {
  const value = record[name];
  return typeof value === "string" ? value : undefined;
}

/** An object field of a record, or an empty one. */
export function objectIn(record: Json, name: string): Json {
  const value = record[name];
  return isObject(value) ? value : {};
}

/** The objects in a list field of a record. */
export function objectsIn(record: Json, name: string): readonly Json[] {
  const value = record[name];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The texts of the parts in a list field of a record. */
export function textsIn(record: Json, name: string): readonly string[] {
  return objectsIn(record, name).flatMap((part) => textIn(part, "text") ?? []);
}

/** The object in a file beside a session, or an empty one. */
export function objectOf(json: string | undefined): Json {
  try {
    return Object(JSON.parse(json ?? "{}")) as Json;
  } catch {
    return {};
  }
}

/** Session, agent and folder of an event that no hook would have reported. */
export function aboutSession(of: {
  platform: string;
  session: string;
  cwd?: string | undefined;
  model?: string | undefined;
  agent?: string | undefined;
}): Json {
  const { platform, session, cwd, model, agent } = of;
  return present({ session: { id: session }, agent: present({ id: agent, model, platform }), cwd });
}
