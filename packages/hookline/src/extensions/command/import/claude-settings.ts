import { findEvent, HookError } from "@hookline/core";
import { didYouMean } from "@hookline/core/internal/text";
import { locateJson } from "../../manifest-file.js";
import { isObject, type JsonObject } from "../dialects/read-document.js";
import {
  bothOf,
  findMatchFault,
  type Imported,
  type ImportedHook,
  type ImportProblem,
  MAX_TIMEOUT_MS,
  quoteRegex,
  quoteValue,
} from "./imported-hook.js";

const DEFAULT_TIMEOUT_S = 600;
const timeouts: { readonly [event: string]: number } = { UserPromptSubmit: 30 };
const TOOL_EVENTS = ["PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied"];
/** The field of the agent's payload that a matcher is compared with, for events without a tool. */
const matchedFields: { readonly [event: string]: string } = {
  SessionStart: "source",
  SessionEnd: "reason",
  Setup: "trigger",
  PreCompact: "trigger",
  PostCompact: "trigger",
  Notification: "notification_type",
  SubagentStart: "agent_type",
  SubagentStop: "agent_type",
  UserPromptExpansion: "command_name",
  StopFailure: "error",
  ConfigChange: "source",
  Elicitation: "mcp_server_name",
  ElicitationResult: "mcp_server_name",
};
/** Claude Code ignores matchers for these. */
const UNMATCHED = [
  ...["UserPromptSubmit", "Stop", "PostToolBatch", "TeammateIdle", "TaskCreated", "TaskCompleted", "CwdChanged", "MessageDisplay"],
];
/** For events of Claude Code that become the same event: what tells them apart. */
const statuses: { readonly [event: string]: string } = {
  PostToolUse: "status == 'ok' || (status == 'cancelled' && raw.hook_event_name == 'PostToolUse')",
  PostToolUseFailure: "status =~ '^(error|timeout)$' || (status == 'cancelled' && raw.hook_event_name != 'PostToolUse')",
};
const KNOWN = ["type", "command", "timeout", "onFailure", "async", "statusMessage", "once"];

/** Claude Code's events by its own names: the event that each becomes, and why a hook for it is not imported. */
type ClaudeEvents = { readonly [native: string]: { readonly event: string; readonly leftAlone?: string } };

interface ClaudeImportOptions {
  readonly events: ClaudeEvents;
  /** The folder that the hooks run in. */
  readonly cwd?: string;
}

/**
 * Reads the `hooks` of a Claude Code settings file. A bad entry is left out; the others stay. Throws `HL_IMPORT` for anything else than a
 * settings file.
 */
export function importClaudeSettings(text: string, options: ClaudeImportOptions): Imported {
  const bare = text.replace(/^\ufeff/, "");
  const settings = parse(bare);
  const locate = locateJson(bare);
  const importing: Importing = { hooks: [], problems: [], notes: [] };
  const isOff = settings.disableAllHooks === true;
  const report = (list: ImportProblem[], path: Path, message: string): void => {
    list.push({ key: keyOf(path), line: locate(path).line, message });
  };
  for (const found of entriesIn(settings.hooks ?? {}, (path, what) => report(importing.problems, path, `It must be ${what}.`))) {
    const read = readEntry(found, options, (message) => report(importing.notes, found.path, message));
    if (typeof read === "string") report(importing.problems, found.path, read);
    else if (!importing.hooks.some((other) => isSame(other, read))) importing.hooks.push(isOff ? { ...read, enabled: false } : read);
  }
  return { ...importing, hooks: withNames(importing.hooks) };
}

interface Importing extends Imported {
  readonly hooks: ImportedHook[];
  readonly problems: ImportProblem[];
  readonly notes: ImportProblem[];
}

type Path = readonly (string | number)[];

function keyOf(path: Path): string {
  return path.map((key, index) => (typeof key === "number" ? `[${key}]` : index === 0 ? key : `.${key}`)).join("");
}

function parse(text: string): JsonObject {
  let settings: unknown;
  try {
    settings = JSON.parse(text);
  } catch (cause) {
    throw new HookError("HL_IMPORT", "The file is not JSON, so Claude Code would not read it either.", { cause });
  }
  if (!isObject(settings)) throw new HookError("HL_IMPORT", "The file is not a settings file: it must hold an object.");
  return settings;
}

interface Found {
  readonly event: string;
  readonly matcher: unknown;
  readonly entry: unknown;
  readonly path: Path;
}

function entriesIn(hooks: unknown, wrong: (path: Path, what: string) => void): Found[] {
  const bad = (path: Path, what: string): Found[] => {
    wrong(path, what);
    return [];
  };
  if (!isObject(hooks)) return bad(["hooks"], "an object");
  return Object.entries(hooks).flatMap(([event, groups]) => {
    if (!Array.isArray(groups)) return bad(["hooks", event], "a list");
    return groups.flatMap((group: unknown, index): Found[] => {
      const path = ["hooks", event, index];
      if (!isObject(group) || !Array.isArray(group.hooks)) return bad(path, 'an object with a list "hooks"');
      return group.hooks.map((entry: unknown, at) => ({ event, matcher: group.matcher, entry, path: [...path, "hooks", at] }));
    });
  });
}

/** The hook, or why it cannot be imported. */
function readEntry(found: Found, { events, cwd }: ClaudeImportOptions, note: (message: string) => void): ImportedHook | string {
  const { event, matcher, entry } = found;
  const native = Object.hasOwn(events, event) ? events[event] : undefined;
  if (native === undefined) return `There is no event "${event}" in Claude Code.${didYouMean(event, Object.keys(events))}`;
  if (native.leftAlone !== undefined) return `It is left to Claude Code. ${native.leftAlone}`;
  if (!isObject(entry)) return "It must be an object.";
  if (entry.type !== "command") return `Hooks of type ${JSON.stringify(entry.type ?? null)} are not taken over, only "command".`;
  if (typeof entry.command !== "string" || entry.command.trim() === "") return `"command" must be text that is not empty.`;
  const unknown = Object.keys(entry).find((key) => !KNOWN.includes(key));
  if (unknown !== undefined) return `"${unknown}" is not understood, and without it the hook would do something else.`;
  const { timeout = timeouts[event] ?? DEFAULT_TIMEOUT_S } = entry;
  if (typeof timeout !== "number" || !(timeout > 0)) return `"timeout" must be a number of seconds above 0.`;
  const narrowed = narrow(event, matcher, note);
  if (typeof narrowed === "string") return narrowed;
  if (entry.once !== undefined) note('"once" is left out: the hook runs each time.');
  const match = bothOf(whichOf(event, events), narrowed.match);
  const hook = {
    name: "",
    event: native.event,
    ...narrowed,
    ...match,
    command: entry.command,
    shell: true,
    dialect: "claude-code",
  } as const;
  const timeoutMs = Math.min(timeout * 1_000, MAX_TIMEOUT_MS);
  return { ...hook, ...(cwd !== undefined && { cwd }), timeoutMs, ...modeOf(entry, native.event) };
}

/** For an event that shares ours with another event: what tells them apart. */
function whichOf(event: string, events: ClaudeEvents): string | undefined {
  const status = statuses[event];
  if (status !== undefined) return status;
  const isShared = Object.entries(events).some(([name, other]) => name !== event && other.event === events[event]?.event);
  return isShared ? `raw.hook_event_name == '${event}'` : undefined;
}

function narrow(event: string, matcher: unknown, note: (message: string) => void): Pick<ImportedHook, "tool" | "match"> | string {
  if (matcher === undefined || matcher === null) return {};
  if (typeof matcher !== "string") return `"matcher" must be text.`;
  const isTool = TOOL_EVENTS.includes(event);
  const field = matchedFields[event];
  const paths = isTool ? ["tool.name", "tool.runtimeName"] : field === undefined ? [] : [`raw.${field}`];
  const narrowing = readMatcher(matcher, { paths, isStrict: event === "StopFailure" } satisfies Compared);
  if (narrowing === undefined) return {};
  if (UNMATCHED.includes(event)) {
    note(`"matcher" is ignored for ${event}, as in Claude Code.`);
    return {};
  }
  if (paths.length === 0) return `It has a matcher, and Hookline does not know what Claude Code compares it with for ${event}.`;
  if ("names" in narrowing && narrowing.names.length === 0) return "Its matcher names nothing, so it never fires.";
  if ("names" in narrowing && isTool) return { tool: narrowing.names };
  const match = "names" in narrowing ? anyOf(paths[0] ?? "", narrowing.names) : narrowing.expression;
  const fault = findMatchFault(match);
  return fault === undefined ? { match } : `Its matcher cannot be used: ${fault}`;
}

/** As in Claude Code: a hook that fails lets the call pass unless it says otherwise, and a background hook cannot decide. */
function modeOf({ onFailure, async }: JsonObject, event: string): Pick<ImportedHook, "onFailure" | "stage"> {
  const spec = findEvent(event.replace("*", "x"))?.spec;
  if (async === true) return spec?.kind === "gate" ? { stage: "observe" } : {};
  return spec?.outcomes.includes("block") === true ? { onFailure: onFailure === "block" ? "closed" : "open" } : {};
}

function isSame(a: ImportedHook, b: ImportedHook): boolean {
  return JSON.stringify({ ...a, enabled: undefined }) === JSON.stringify(b);
}

function withNames(hooks: readonly ImportedHook[]): ImportedHook[] {
  const bare = (event: ImportedHook["event"]): string => String(event).replaceAll(/[:*]+/g, "-").replace(/-$/, "");
  return hooks.map((hook, index) => ({ ...hook, name: `claude-${bare(hook.event)}-${index + 1}` }));
}

/** The filter of a hook: names or an expression. */
type Narrowing = { readonly names: readonly string[] } | { readonly expression: string } | undefined;

// These characters have no special meaning in a regular expression.
const NAMES = /^[\w\s,|-]+$/;
/** Two of Claude Code's events treat only these as names. */
const FEW_NAMES = /^[\w|]+$/;

/** What a matcher is compared with: a path of the payload. */
interface Compared {
  readonly paths: readonly string[];
  /** Treats `a-b`, `a b` and `a,b` as regular expressions. */
  readonly isStrict?: boolean;
}

/**
 * Reads a matcher of Claude Code: empty and `*` match everything; `A|B` and `A,B` are whole names (`a-b` does not match `xa-bx`); anything
 * else is a regular expression, which may match anywhere, as in Claude Code.
 */
function readMatcher(matcher: string, { paths, isStrict = false }: Compared): Narrowing {
  const text = matcher.trim();
  if (text === "" || text === "*") return undefined;
  if ((isStrict ? FEW_NAMES : NAMES).test(text)) {
    const names = text.split(/[|,]/).map((name) => name.trim());
    return { names: names.filter((name) => name !== "") };
  }
  return { expression: paths.map((path) => `${path} =~ ${quoteRegex(text)}`).join(" || ") };
}

/** Turns names into an expression, for events without a tool. */
function anyOf(path: string, names: readonly string[]): string {
  return names.map((name) => `${path} == ${quoteValue(name)}`).join(" || ");
}
