import type { Bus } from "@hookline/core";
import type { HandlersAnswer } from "../../hub/protocol.js";

type HookState = "active" | "untrusted" | "modified" | "revoked" | "disabled" | "rejected" | "suspended";

/** A hook wherever it comes from, as `hooks list` and `hooks test` need it. */
export interface KnownHook {
  readonly name: string;
  readonly kind: "module" | "command" | "folder" | "process" | "config" | "url";
  readonly from: "user" | "project";
  readonly state: HookState;
  /** The file or folder it stands in. */
  readonly path: string;
  readonly events: readonly string[];
  readonly timeoutMs?: number;
  readonly onFailure?: "open" | "closed";
  /** What is wrong with it. */
  readonly problems: readonly string[];
  /** What a review of the user's own hooks compares. */
  readonly fingerprint: string;
  /** Puts it on a bus; missing where nothing may run. */
  register?(bus: Bus): Promise<{ close(): Promise<void> }>;
}

type HandlerRow = HandlersAnswer["handlers"][number];

/** A hook with what a running hub says of it. */
export interface HookRow extends KnownHook {
  readonly calls?: number;
  readonly lastFiredAt?: number | undefined;
}

/** The hub's counts of all the registrations of a hook, and its word on the failure mode and the time. */
export function withCounts(hook: KnownHook, handlers: readonly HandlerRow[] | undefined): HookRow {
  const rows = (handlers ?? []).filter((row) => row.name === hook.name || row.owner === hook.name);
  if (rows.length === 0) return hook;
  const fired = rows.flatMap(({ stats }) => stats?.lastFiredAt ?? []);
  const [first] = rows;
  const isSuspended = rows.some(({ stats }) => (stats?.suspendedUntil ?? 0) > Date.now());
  return {
    ...hook,
    ...(isSuspended && { state: "suspended" as const }),
    ...(first !== undefined && {
      timeoutMs: first.timeoutMs,
      onFailure: first.onFailure === "closed" ? ("closed" as const) : ("open" as const),
    }),
    calls: rows.reduce((sum, { stats }) => sum + (stats?.calls ?? 0), 0),
    lastFiredAt: fired.length === 0 ? undefined : Math.max(...fired),
  };
}
