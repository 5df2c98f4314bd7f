import { didYouMean, findEvent, HookError } from "@hookline/core";
import { claudeEvents } from "../dialects/claude-names.js";
import { isObject, type JsonObject } from "../dialects/read-document.js";
import { findMatchFault, type Imported, type ImportedHook, type ImportProblem } from "./imported-hook.js";
import { anyOf, readMatcher } from "./matcher.js";

const DEFAULT_TIMEOUT_S = 600;
/** What a matcher looks at where there is no tool: the agent's own field. */
const matchedFields: { readonly [event: string]: string } = {
  SessionStart: "raw.source",
  SessionEnd: "raw.reason",
  PreCompact: "raw.trigger",
  PostCompact: "raw.trigger",
  Notification: "raw.notification_type",
  SubagentStart: "raw.agent_type",
  SubagentStop: "raw.agent_type",
};
const KNOWN = ["type", "command", "timeout", "onFailure", "async", "statusMessage", "once"];

/** Reads the `hooks` of a Claude Code settings file. One bad entry is left out alone. Throws `HL_IMPORT` for what is no settings file. */
export function importClaudeSettings(text: string, options: { readonly cwd?: string } = {}): Imported {
  const settings = parse(text);
  const hooks: ImportedHook[] = [];
  const problems: ImportProblem[] = [];
  const isOff = settings.disableAllHooks === true;
  for (const found of entriesIn(settings.hooks ?? {}, problems)) {
    const read = readEntry(found, options);
    if (typeof read === "string") problems.push({ key: found.key, message: read });
    else if (!hooks.some((other) => isSame(other, read))) hooks.push(isOff ? { ...read, enabled: false } : read);
  }
  return { hooks: withNames(hooks), problems };
}

function parse(text: string): JsonObject {
  let settings: unknown;
  try {
    settings = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (cause) {
    throw new HookError("HL_IMPORT", "This is no JSON, so Claude Code would not read it either.", { cause });
  }
  if (!isObject(settings)) throw new HookError("HL_IMPORT", "This is no settings file: it must hold an object.");
  return settings;
}

interface Found {
  readonly event: string;
  readonly matcher: unknown;
  readonly entry: unknown;
  readonly key: string;
}

function entriesIn(hooks: unknown, problems: ImportProblem[]): Found[] {
  const bad = (key: string, what: string): Found[] => {
    problems.push({ key, message: `It must be ${what}.` });
    return [];
  };
  if (!isObject(hooks)) return bad("hooks", "an object");
  return Object.entries(hooks).flatMap(([event, groups]) => {
    if (!Array.isArray(groups)) return bad(`hooks.${event}`, "a list");
    return groups.flatMap((group: unknown, index): Found[] => {
      const key = `hooks.${event}[${index}]`;
      if (!isObject(group) || !Array.isArray(group.hooks)) return bad(key, 'an object with a list "hooks"');
      return group.hooks.map((entry: unknown, at) => ({ event, matcher: group.matcher, entry, key: `${key}.hooks[${at}]` }));
    });
  });
}

/** The hook, or why it is none. */
function readEntry({ event, matcher, entry }: Found, { cwd }: { readonly cwd?: string }): ImportedHook | string {
  const name = claudeEvents.get(event) ?? findEvent(event)?.name;
  if (name === undefined) return `There is no event for "${event}" here.${didYouMean(event, claudeEvents.keys())}`;
  if (!isObject(entry)) return "It must be an object.";
  if (entry.type !== "command") return `Hooks of type ${JSON.stringify(entry.type ?? null)} are not taken over, only "command".`;
  if (typeof entry.command !== "string" || entry.command.trim() === "") return `"command" must be text that is not empty.`;
  const unknown = Object.keys(entry).find((key) => !KNOWN.includes(key));
  if (unknown !== undefined) return `"${unknown}" is not understood, and without it the hook would do something else.`;
  const { timeout = DEFAULT_TIMEOUT_S } = entry;
  if (typeof timeout !== "number" || !(timeout > 0)) return `"timeout" must be a number of seconds above 0.`;
  const narrowed = narrow(event, matcher);
  if (typeof narrowed === "string") return narrowed;
  const hook = { name: "", event: name, ...narrowed, command: entry.command, shell: true, dialect: "claude-code" } as const;
  return { ...hook, ...(cwd !== undefined && { cwd }), timeoutMs: timeout * 1_000, ...modeOf(entry, name) };
}

function narrow(event: string, matcher: unknown): Pick<ImportedHook, "tool" | "match"> | string {
  if (matcher === undefined || matcher === null) return {};
  if (typeof matcher !== "string") return `"matcher" must be text.`;
  const field = matchedFields[event];
  const narrowing = readMatcher(matcher, field ?? "tool.name");
  if (narrowing === undefined) return {};
  if ("names" in narrowing && field === undefined) return { tool: narrowing.names };
  const match = "names" in narrowing ? anyOf(field ?? "", narrowing.names) : narrowing.expression;
  const fault = findMatchFault(match);
  return fault === undefined ? { match } : `Its matcher cannot be used: ${fault}`;
}

/** As Claude Code has it: a hook that fails lets the call pass unless it says otherwise, and one in the background cannot decide. */
function modeOf({ onFailure, async }: JsonObject, event: string): Pick<ImportedHook, "onFailure" | "stage"> {
  if (async === true) return { stage: "observe" };
  return findEvent(event)?.spec.outcomes.includes("block") === true ? { onFailure: onFailure === "block" ? "closed" : "open" } : {};
}

function isSame(a: ImportedHook, b: ImportedHook): boolean {
  return JSON.stringify({ ...a, enabled: undefined }) === JSON.stringify(b);
}

function withNames(hooks: readonly ImportedHook[]): ImportedHook[] {
  return hooks.map((hook, index) => ({ ...hook, name: `claude-${hook.event.replaceAll(":", "-")}-${index + 1}` }));
}
