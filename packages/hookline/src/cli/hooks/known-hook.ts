import { hookLimits } from "../../agents/attach/agent-limits.js";
import { type KnownTools, toolNote } from "../../agents/tool-note.js";
import type { DialectName } from "../../config/config.js";
import { callTimeout } from "../../extensions/call-deadline.js";
import { failureModeOf } from "../../extensions/guards-of.js";
import { type InstalledHook, type InstalledState, shownState } from "../../extensions/installed/installed-hook.js";
import { hashFolder } from "../../extensions/trust/hash-folder.js";
import type { HandlersAnswer } from "../../hub/protocol.js";

type HandlerRow = HandlersAnswer["handlers"][number];

/** A hook as `hooks list` shows it, with what a running hub knows about it. */
export interface HookRow {
  readonly name: string;
  readonly kind: InstalledHook["kind"];
  readonly from: InstalledHook["from"];
  /** `failing`: its last event or its start failed. */
  readonly state: InstalledState | "suspended" | "failing";
  readonly path: string;
  /** For a folder: its manifest. */
  readonly manifest?: string;
  readonly events: readonly string[];
  /** Missing for Hookline's own dialect. */
  readonly dialect?: DialectName;
  readonly timeoutMs?: number;
  readonly onFailure?: "open" | "closed";
  readonly problems: readonly string[];
  /** How the hook is interpreted, if that is not obvious. */
  readonly remarks: readonly string[];
  /** Missing if no hub runs, or if the hub does not have it. */
  readonly calls?: number;
  readonly lastFiredAt?: number | undefined;
  /** Why it guards nothing: no attached agent has its tools. */
  readonly note?: string;
  /** What attached agents cannot do for it. */
  readonly limits?: readonly string[];
}

/** What is known about a hook, with the hub's data: the counts of all its registrations, its failure mode and its time. */
export function rowOf(hook: InstalledHook, handlers: readonly HandlerRow[] | undefined, tools: KnownTools): HookRow {
  const { name, kind, from, path, manifest, dialect, problems, remarks = [] } = hook;
  const state = shownState(hook);
  const spoken = { ...(dialect !== undefined && { dialect }), ...(manifest !== undefined && { manifest }) };
  const notes = { ...noteOn(hook, tools), ...limitsOn(hook, tools) };
  const row = { name, kind, from, state, path, ...spoken, problems, remarks, ...summaryOf(hook), ...notes };
  const registered = (handlers ?? []).filter(({ owner }) => owner === hook.id);
  const [first] = registered;
  if (first === undefined) return row;
  const fired = registered.flatMap(({ lastAt }) => lastAt ?? []);
  return {
    ...row,
    ...(state === "active" && registered.some(isFailing) && { state: "failing" as const }),
    ...(registered.some(isSuspended) && { state: "suspended" as const }),
    onFailure: registered.some(({ onFailure }) => onFailure === "closed") ? "closed" : "open",
    calls: registered.reduce((sum, { stats }) => sum + (stats?.calls ?? 0), 0),
    lastFiredAt: fired.length === 0 ? undefined : Math.max(...fired),
  };
}

/** The dialect of the hook, and what happens to a call when the hook fails: `hermes, open`. */
export function modeText({ dialect, onFailure }: Pick<HookRow, "dialect" | "onFailure">): string {
  return [dialect, onFailure].filter((word) => word !== undefined).join(", ") || "-";
}

/** True for a project's changed rules: the version that the user consented to stays in force. */
export function hasRulesInForce({ kind, state }: Pick<HookRow, "kind" | "state">): boolean {
  return kind === "rules" && state === "modified";
}

/** What a review of the user's own hooks compares: the definition and, for a folder, every byte in it. */
export function fingerprintOf({ version, path, kind }: InstalledHook): string {
  if (kind !== "folder" && kind !== "process") return version;
  try {
    return hashFolder(path);
  } catch (error) {
    return (error as Error).message;
  }
}

function summaryOf({ hooks, rules = [] }: InstalledHook): Pick<HookRow, "events" | "timeoutMs" | "onFailure"> {
  const events = [...new Set([...hooks.map(({ event }) => event), ...rules.flatMap((rule) => rule.events)])];
  const [first] = hooks;
  if (first === undefined) return { events };
  const onFailure = hooks.some((hook) => failureModeOf(hook) === "closed") ? "closed" : "open";
  return { events, timeoutMs: callTimeout(first), onFailure };
}

/** The first of its events or rules whose tool no attached agent has. */
export function noteOn({ state, hooks, rules = [] }: InstalledHook, tools: KnownTools): Pick<HookRow, "note"> {
  if (state === "disabled") return {};
  const guards = [...hooks.map((spec) => ({ ...spec, events: [spec.event] })), ...rules];
  const note = guards.map((guard) => toolNote(guard, tools)).find((text) => text !== undefined);
  return note === undefined ? {} : { note };
}

function limitsOn(hook: InstalledHook, { attached }: KnownTools): Pick<HookRow, "limits"> {
  const limits = hook.state === "disabled" ? [] : hookLimits([hook], attached);
  return limits.length === 0 ? {} : { limits };
}

function isSuspended({ stats }: HandlerRow): boolean {
  return (stats?.suspendedUntil ?? 0) > Date.now();
}

const BAD_HEALTH = ["failed", "degraded", "restarting", "stopped"];

function isFailing({ health }: HandlerRow): boolean {
  return health !== undefined && BAD_HEALTH.includes(health.state);
}
