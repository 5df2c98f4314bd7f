import { hookLimits } from "../../agents/attach/agent-limits.js";
import { type KnownTools, toolNote } from "../../agents/tool-note.js";
import type { DialectName } from "../../config/config.js";
import { callTimeout } from "../../extensions/call-deadline.js";
import { failureModeOf } from "../../extensions/guards-of.js";
import { type InstalledHook, type InstalledState, shownState } from "../../extensions/installed/installed-hook.js";
import { hashFolder } from "../../extensions/trust/hash-folder.js";
import type { HandlersAnswer } from "../../hub/protocol.js";

type HandlerRow = HandlersAnswer["handlers"][number];

/** A hook as `hooks list` shows it, with what a running hub says of it. */
export interface HookRow {
  readonly name: string;
  readonly kind: InstalledHook["kind"];
  readonly from: InstalledHook["from"];
  /** `failing`: its last event, or its start, went wrong. */
  readonly state: InstalledState | "suspended" | "failing";
  readonly path: string;
  /** Of a folder: the manifest in it. */
  readonly manifest?: string;
  readonly events: readonly string[];
  /** Missing where it is Hookline's own. */
  readonly dialect?: DialectName;
  readonly timeoutMs?: number;
  readonly onFailure?: "open" | "closed";
  readonly problems: readonly string[];
  /** How it is read, where that is not plain to see. */
  readonly remarks: readonly string[];
  /** Missing where no hub runs, or it has not got it. */
  readonly calls?: number;
  readonly lastFiredAt?: number | undefined;
  /** Why it guards nothing: no attached agent has a tool it is for. */
  readonly note?: string;
  /** What attached agents cannot do of what it may want. */
  readonly limits?: readonly string[];
}

/** What is known of a hook, and the hub's word on it: counts of all its registrations, failure mode and time. */
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

/** What becomes of a call when the hook fails, after the dialect it speaks: `hermes, open`. */
export function modeText({ dialect, onFailure }: Pick<HookRow, "dialect" | "onFailure">): string {
  return [dialect, onFailure].filter((word) => word !== undefined).join(", ") || "-";
}

/** True of a project's rules that were changed: those that were consented to go on. */
export function hasRulesInForce({ kind, state }: Pick<HookRow, "kind" | "state">): boolean {
  return kind === "rules" && state === "modified";
}

/** What a review of the user's own hooks compares: what it says, and where it is a folder, every byte of it. */
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

/** The first of its events or rules that is for a tool nothing attached has. */
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
