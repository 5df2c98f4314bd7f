import { didYouMean } from "../catalog/did-you-mean.js";
import { HookError } from "../catalog/errors.js";
import type { ReminderBookOptions, RenderOptions } from "./types.js";

export type BookSettings = Required<ReminderBookOptions>;
type Role = NonNullable<RenderOptions["roleHint"]>;

/** The options with their defaults; throws `HL_UNKNOWN_OPTION` or `HL_BAD_OPTION`. */
export function readBookOptions(options: ReminderBookOptions): BookSettings {
  refuseUnknown("createReminderBook", options, ["maxPerSession", "maxSessions", "onError"]);
  const { maxPerSession = 100, maxSessions = 1000, onError = printError } = options;
  requireCount("maxPerSession", maxPerSession);
  requireCount("maxSessions", maxSessions);
  if (typeof onError !== "function") throw bad("onError", "a function");
  return { maxPerSession, maxSessions, onError };
}

/** The role to render; a misspelled one would silently render nothing, so it throws. */
export function readRole(options: RenderOptions): Role | undefined {
  refuseUnknown("render", options, ["roleHint"]);
  const { roleHint } = options;
  if (roleHint !== undefined && !Object.hasOwn(roles, roleHint)) throw bad("roleHint", `one of ${Object.keys(roles).join(", ")}`);
  return roleHint;
}

const roles = { system: true, developer: true, user_block: true, ephemeral_cache: true } satisfies Record<Role, true>;

function refuseUnknown(where: string, options: object, known: readonly string[]): void {
  if (typeof options !== "object" || options === null) throw bad(where, "given an options object");
  for (const key of Object.keys(options))
    if (!known.includes(key)) throw new HookError("HL_UNKNOWN_OPTION", `${where} has no option "${key}".${didYouMean(key, known)}`);
}

function requireCount(key: string, value: unknown): void {
  if (!Number.isInteger(value) || (value as number) < 1) throw bad(key, "a whole number above 0");
}

function bad(key: string, wants: string): HookError {
  return new HookError("HL_BAD_OPTION", `"${key}" must be ${wants}.`);
}

function printError(error: Error): void {
  console.error(`hookline: ${error.message}`, error.cause);
}
