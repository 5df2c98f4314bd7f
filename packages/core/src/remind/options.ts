import { callback, checkOptions, oneOf, positiveCount, type Rules } from "../bus/option-rules.js";
import type { ReminderBookOptions, RenderOptions } from "./types.js";

export type BookSettings = Required<ReminderBookOptions>;
type Role = NonNullable<RenderOptions["roleHint"]>;

/** The options with their defaults; throws `HL_UNKNOWN_OPTION` or `HL_BAD_OPTION`. */
export function readBookOptions(options: ReminderBookOptions): BookSettings {
  const { maxPerSession = 100, maxSessions = 1000, onError = printError } = checkOptions("createReminderBook", options, bookRules);
  return { maxPerSession, maxSessions, onError };
}

/** The role to render; a misspelled one would silently render nothing, so it throws. */
export function readRole(options: RenderOptions): Role | undefined {
  return checkOptions("render", options, renderRules).roleHint;
}

const bookRules: Rules<ReminderBookOptions> = { maxPerSession: positiveCount, maxSessions: positiveCount, onError: callback };
const renderRules: Rules<RenderOptions> = { roleHint: oneOf("system", "developer", "user_block", "ephemeral_cache") };

function printError(error: Error): void {
  console.error(`hookline: ${error.message}`, error.cause);
}
