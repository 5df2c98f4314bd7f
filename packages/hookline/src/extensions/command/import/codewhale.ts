import { isAbsolute } from "node:path";
import { findEvent, HookError } from "@hookline/core";
import { didYouMean } from "@hookline/core/internal/text";
import { parseToml } from "../../../config/parse-toml.js";
import { locateKeys } from "../../../config/positions/key-positions.js";
import { quoteKey } from "../../../config/schema/explain.js";
import { isObject, type JsonObject } from "../dialects/read-document.js";
import { type Carried, type Filter, readCondition } from "./codewhale-condition.js";
import { bothOf, findMatchFault, freeName, type Imported, type ImportedHook, type ImportProblem, MAX_TIMEOUT_MS } from "./imported-hook.js";

const DEFAULT_TIMEOUT_S = 30;

interface CodewhaleEvent {
  /** The events that it becomes. */
  readonly becomes: readonly string[];
  readonly carries: readonly Carried[];
  /** Its hook's output and exit code count. Otherwise it only observes. */
  readonly isSteering?: true;
  /** It also fires for failed tools, which have a separate event here. */
  readonly withFailedTools?: true;
  readonly note?: string;
}

const events: { readonly [name: string]: CodewhaleEvent } = {
  session_start: { becomes: ["session:start"], carries: ["mode"] },
  session_end: { becomes: ["session:end"], carries: ["mode"] },
  message_submit: { becomes: ["prompt:submit"], carries: ["mode"], isSteering: true },
  tool_call_before: { becomes: ["tool:before"], carries: ["tool", "mode"], isSteering: true },
  tool_call_after: { becomes: ["tool:after"], carries: ["tool", "mode", "exit code"] },
  mode_change: { becomes: ["mode:change"], carries: ["mode"] },
  on_error: { becomes: ["session:error"], carries: ["tool", "mode", "exit code"], withFailedTools: true },
  turn_end: { becomes: ["turn:end"], carries: ["mode"] },
  subagent_spawn: { becomes: ["worker:spawned"], carries: ["mode"] },
  subagent_complete: { becomes: ["worker:completed", "worker:failed", "worker:stopped", "worker:cancelled"], carries: ["mode"] },
  shell_env: {
    becomes: ["tool:env"],
    carries: ["tool"],
    isSteering: true,
    note: "No attached agent asks for a tool's environment. The hook runs only in agents that load hooks into their own bus (hookline/host).",
  },
};
/** Tool failures that codewhale treats as errors. */
const FAILED = "status =~ '^(error|timeout)$'";
const ENTRY_KEYS = ["event", "command", "condition", "timeout_secs", "background", "continue_on_error", "name"];
const TABLE_KEYS = ["enabled", "default_timeout_secs", "working_dir", "hooks"];

/**
 * Reads the hooks of codewhale: `[[hooks.hooks]]` of a `config.toml`, or `[[hooks]]` of a project's `.codewhale/hooks.toml`. A bad entry is
 * left out; the others stay. Throws `HL_IMPORT` for a file that is not TOML.
 */
export function importCodewhale(text: string): Imported {
  const parsed = parseToml(text);
  if ("message" in parsed) throw new HookError("HL_IMPORT", `${parsed.line}:${parsed.column}: ${parsed.message}`);
  const { hooks: given = {} } = parsed.document;
  const locate = locateKeys(text);
  const isProject = Array.isArray(given);
  if (!isProject && !isObject(given)) throw new HookError("HL_IMPORT", `"hooks" must be a table, or a list of hooks.`);
  const settings: JsonObject = isProject ? {} : given;
  const path = isProject ? ["hooks"] : ["hooks", "hooks"];
  const list: unknown = isProject ? given : (given.hooks ?? []);
  if (!Array.isArray(list)) throw new HookError("HL_IMPORT", `"hooks.hooks" must be a list of hooks.`);
  const importing: Importing = { settings, hooks: [], problems: [], notes: [] };
  const at = (keys: readonly (string | number)[]) => locate(keys).line;
  for (const [key, message] of tableNotes(isProject ? parsed.document : settings, isProject))
    importing.notes.push({ key: isProject ? key : `hooks.${key}`, line: at(isProject ? [key] : ["hooks", key]), message });
  for (const [index, entry] of list.entries()) {
    const place = { ...nameOf(entry), key: `${path.join(".")}[${index}]`, line: at([...path, index]) };
    const fault = readEntry(entry, index, importing, (message) => importing.notes.push({ ...place, message }));
    if (fault !== undefined) importing.problems.push({ ...place, message: fault });
  }
  return importing;
}

interface Importing extends Imported {
  readonly settings: JsonObject;
  readonly hooks: ImportedHook[];
  readonly problems: ImportProblem[];
  readonly notes: ImportProblem[];
}

/** The keys of the surrounding table that are ignored. */
function tableNotes(table: JsonObject, isProject: boolean): (readonly [key: string, message: string])[] {
  const keys = Object.keys(table).filter((key) => key !== "hooks");
  // In a config.toml, other tables configure other things. In a project's file only hooks count.
  if (isProject) return keys.map((key) => [key, "In a project's file only the hooks count, as in codewhale."]);
  const unknown = keys.filter((key) => !TABLE_KEYS.includes(key)).map((key) => [key, `${quoteKey(key)} is unknown and ignored.`] as const);
  const { default_timeout_secs: seconds, working_dir: folder } = table;
  const isFolder = folder === undefined || (typeof folder === "string" && isAbsolute(folder));
  return [
    ...unknown,
    ...(seconds === 0 ? ([["default_timeout_secs", "0 is ignored, as in codewhale: each hook keeps its own time limit."]] as const) : []),
    ...(isFolder ? [] : ([["working_dir", "It must be an absolute path. The hooks run in the agent's folder instead."]] as const)),
  ];
}

/** Adds the hooks of an entry, or returns the reason why there are none. */
function readEntry(entry: unknown, index: number, importing: Importing, note: (message: string) => void): string | undefined {
  if (!isObject(entry)) return "It must be a table.";
  const event = typeof entry.event === "string" && Object.hasOwn(events, entry.event) ? events[entry.event] : undefined;
  if (event === undefined)
    return `There is no event ${JSON.stringify(entry.event ?? null)} in codewhale.${didYouMean(String(entry.event), Object.keys(events))}`;
  if (typeof entry.command !== "string" || entry.command.trim() === "") return `"command" must be text that is not empty.`;
  const unknown = Object.keys(entry).find((key) => !ENTRY_KEYS.includes(key));
  if (unknown !== undefined) return `"${unknown}" is not understood, and without it the hook would do something else.`;
  const timeoutMs = timeoutOf(entry, importing.settings);
  if (timeoutMs === undefined) return `"timeout_secs" must be a number of seconds above 0.`;
  const filter = readCondition(entry.condition, event.carries);
  if (typeof filter === "string") return filter;
  const fault = filter.match === undefined ? undefined : findMatchFault(filter.match);
  if (fault !== undefined) return `Its condition cannot be used: ${fault}`;
  for (const message of notesOn(entry, event, filter)) note(message);
  const { needsTool, ...narrowed } = filter;
  const name = nameOf(entry).name ?? `codewhale-${index + 1}`;
  const shared = { command: entry.command, shell: true, dialect: "codewhale", cwd: cwdOf(importing.settings), timeoutMs } as const;
  const add = (wanted: string, own: Pick<ImportedHook, "event" | "match" | "tool" | "onFailure" | "stage">): void => {
    const isOff = importing.settings.enabled === false ? { enabled: false as const } : {};
    importing.hooks.push({ name: freeName(wanted, importing.hooks), ...own, ...shared, ...isOff });
  };
  const [first = "", ...more] = event.becomes;
  const isOnlyOfTools = event.withFailedTools === true && needsTool;
  if (!isOnlyOfTools) add(name, { event: more.length === 0 ? first : event.becomes, ...narrowed, ...modeOf(entry, event, first) });
  if (event.withFailedTools === true)
    add(isOnlyOfTools ? name : `${name}-tool`, { event: "tool:after", ...narrowed, ...bothOf(FAILED, narrowed.match) });
  return undefined;
}

function nameOf(entry: unknown): { readonly name?: string } {
  const name = isObject(entry) && typeof entry.name === "string" ? entry.name.trim() : "";
  return name === "" ? {} : { name };
}

/** The table's value replaces that of every hook. */
function timeoutOf({ timeout_secs: own = DEFAULT_TIMEOUT_S }: JsonObject, { default_timeout_secs: given }: JsonObject): number | undefined {
  const seconds = given === undefined || given === 0 ? own : given;
  return typeof seconds === "number" && seconds > 0 ? Math.min(seconds * 1_000, MAX_TIMEOUT_MS) : undefined;
}

/** codewhale runs hooks in the session's workspace. */
function cwdOf({ working_dir: folder }: JsonObject): string {
  return typeof folder === "string" && isAbsolute(folder) ? folder : "event";
}

/** A hook that only observes runs after the decision: its output and exit code are ignored. */
function modeOf(
  { background, continue_on_error: goesOn = true }: JsonObject,
  event: CodewhaleEvent,
  becomes: string,
): Pick<ImportedHook, "onFailure" | "stage"> {
  const spec = findEvent(becomes)?.spec;
  if (spec?.kind !== "gate") return {};
  if (event.isSteering !== true || background === true) return { stage: "observe" };
  return spec.outcomes.includes("block") ? { onFailure: goesOn === false ? "closed" : "open" } : {};
}

function notesOn(
  { background, continue_on_error: goesOn }: JsonObject,
  { isSteering, note, becomes }: CodewhaleEvent,
  filter: Filter,
): string[] {
  const isGate = becomes.some((event) => findEvent(event)?.spec.kind === "gate");
  return [
    ...(note === undefined ? [] : [note]),
    ...(filter.match?.includes("tool.exitCode")
      ? ["It fires for agents that report the exit code of a tool as `tool.exitCode`. Attached agents do not report it."]
      : []),
    ...(goesOn === false && isSteering !== true
      ? ['"continue_on_error" is left out: hooks that only observe do not wait for each other here.']
      : []),
    ...(background === true && isSteering === true && !isGate
      ? ['"background" is ignored, as in codewhale: what it prints is needed.']
      : []),
  ];
}
