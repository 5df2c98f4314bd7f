import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { parse } from "smol-toml";

/** Entries in the form of a hooks file or of options. */
type Entries = { readonly [event: string]: readonly unknown[] };

/** The option that makes Codex run hooks that were not reviewed. Only the user ever gives it. */
export const BYPASS = "--dangerously-bypass-hook-trust";

/** The source that Codex records for hooks from its command line. */
export const SESSION_FLAGS = "/<session-flags>/config.toml";

/**
 * The events whose hook the user has not reviewed in Codex in its current form: Codex silently skips these. It keeps a hash of each reviewed hook
 * in its `config.toml`, by file, event and position. `source`: the file of the hooks; `listed`: all of its hooks.
 */
export function unreviewedEvents(source: string, listed: Entries, isOurs: (handler: unknown) => boolean, env: NodeJS.ProcessEnv): string[] {
  const states = readStates(env);
  return Object.entries(listed).flatMap(([event, groups]) => {
    const ours = groups.flatMap((group, at) => placesOf(group, at)).filter(({ handler }) => isOurs(handler));
    const isReviewed = ours.every(({ place, handler, matcher }) => {
      const { trusted_hash, enabled } = states[`${source}:${labelOf(event)}:${place}`] ?? {};
      return enabled !== false && trusted_hash === hashOf(event, handler, matcher);
    });
    return isReviewed ? [] : [event];
  });
}

/** The settings with which Codex runs none of the user's hooks. */
export function switchesOff(env: NodeJS.ProcessEnv): string[] {
  const files = [join(env.CODEX_HOME || join(env.HOME || homedir(), ".codex"), "config.toml"), "/etc/codex/requirements.toml"];
  return files.flatMap((path) => {
    const { features, allow_managed_hooks_only: onlyManaged } = readToml(path) as {
      readonly features?: { readonly hooks?: unknown; readonly codex_hooks?: unknown };
      readonly allow_managed_hooks_only?: unknown;
    };
    return [
      ...(features?.hooks === false || features?.codex_hooks === false ? [`"features" in ${path} switches hooks off.`] : []),
      ...(onlyManaged === true ? [`"allow_managed_hooks_only" in ${path}: Codex runs only managed hooks.`] : []),
    ];
  });
}

interface Place {
  readonly place: string;
  readonly handler: { readonly [key: string]: unknown };
  readonly matcher?: unknown;
}

function placesOf(group: unknown, at: number): Place[] {
  const { hooks, matcher } = (group ?? {}) as { readonly hooks?: unknown; readonly matcher?: unknown };
  if (!Array.isArray(hooks)) return [];
  return hooks.map((handler: Place["handler"], index) => ({ place: `${at}:${index}`, handler, matcher }));
}

interface HookState {
  readonly trusted_hash?: unknown;
  readonly enabled?: unknown;
}

function readStates(env: NodeJS.ProcessEnv): { readonly [key: string]: HookState | undefined } {
  const folder = env.CODEX_HOME || join(env.HOME || homedir(), ".codex");
  const { hooks } = readToml(join(folder, "config.toml")) as { readonly hooks?: { readonly state?: object } };
  return (hooks?.state ?? {}) as { readonly [key: string]: HookState };
}

function readToml(path: string): object {
  try {
    return parse(readFileSync(path, "utf8"));
  } catch {
    return {};
  }
}

/** Hashes as Codex 0.166.0 does: over the entry with its defaults filled in and its keys sorted. */
function hashOf(event: string, { command, timeout = 600, statusMessage }: Place["handler"], matcher: unknown): string {
  const handler = { async: false, command, ...(statusMessage !== undefined && { statusMessage }), timeout, type: "command" };
  const identity = { event_name: labelOf(event), hooks: [handler], ...(typeof matcher === "string" && { matcher }) };
  return `sha256:${createHash("sha256").update(JSON.stringify(identity)).digest("hex")}`;
}

function labelOf(event: string): string {
  return event.replace(/(?<=[a-z])[A-Z]/g, "_$&").toLowerCase();
}
