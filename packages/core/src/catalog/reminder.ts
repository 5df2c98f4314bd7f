import { didYouMean } from "../text/did-you-mean.js";
import { HookError } from "./errors.js";

/** Something the model is told again at each turn, until it expires. */
export interface ReminderSpec {
  readonly body: string;
  readonly tags?: readonly string[];
  /** A second reminder with the same key replaces the first. */
  readonly dedupeKey?: string;
  /** For how many turns it is shown. By default it does not expire. */
  readonly ttlTurns?: number;
  readonly preserveOnCompact?: boolean;
  /** Which children inherit it: `all` descendants, the `session`'s direct children, or `none`. */
  readonly propagate?: "all" | "session" | "none";
  readonly roleHint?: "system" | "developer" | "user_block" | "ephemeral_cache";
  /** The speaker, as shown to the model. */
  readonly authority?: string;
  /** Kept and recorded, never shown to the model. */
  readonly auditOnly?: boolean;
}

/** The reminder, with `null` taken as absent, and its tags and its `dedupeKey` trimmed; throws `HL_BAD_REMINDER` with the keys at fault otherwise. */
export function checkReminder(reminder: unknown): ReminderSpec {
  if (typeof reminder !== "object" || reminder === null || Array.isArray(reminder))
    throw bad(
      `A reminder is an object with a body, not ${reminder === null ? "null" : Array.isArray(reminder) ? "an array" : `a ${typeof reminder}`}.`,
    );
  const unknown = Object.keys(reminder).filter((key) => !Object.hasOwn(rules, key));
  if (unknown.length > 0)
    throw bad(unknown.map((key) => `A reminder has no key "${key}".${didYouMean(key, Object.keys(rules))}`).join(" "));
  for (const [key, value] of Object.entries(reminder)) {
    const rule = rules[key as keyof ReminderSpec];
    if (value !== undefined && value !== null && !rule.accepts(value)) throw bad(`The reminder's "${key}" must be ${rule.wants}.`);
  }
  if (!Object.hasOwn(reminder, "body") || ((reminder as ReminderSpec).body ?? undefined) === undefined)
    throw bad(`A reminder needs a "body".`);
  return tidied(reminder as ReminderSpec);
}

/** The reminder itself, if nothing has to be changed. */
function tidied(reminder: ReminderSpec): ReminderSpec {
  const { tags, dedupeKey } = reminder;
  const own = tags == null ? undefined : [...new Set(tags.map((tag) => tag.trim()))];
  const hasTidyTags = own === undefined || (own.length === tags?.length && own.every((tag, index) => tag === tags[index]));
  const key = dedupeKey?.trim();
  if (hasTidyTags && key === (dedupeKey ?? undefined) && Object.values(reminder).every((value) => value !== null)) return reminder;
  const given = Object.entries({ ...reminder, tags: own, dedupeKey: key }).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(given) as unknown as ReminderSpec;
}

const hasWords = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";
const isString = (value: unknown): boolean => typeof value === "string" && value !== "";
const oneOf = (...words: string[]) => ({
  accepts: (value: unknown) => words.includes(value as string),
  wants: `one of ${words.join(", ")}`,
});

interface Rule {
  readonly accepts: (value: unknown) => boolean;
  readonly wants: string;
}

const text: Rule = { accepts: hasWords, wants: "text that is not empty" };
const flag: Rule = { accepts: (value) => typeof value === "boolean", wants: "true or false" };

const rules: { readonly [K in keyof Required<ReminderSpec>]: Rule } = {
  body: text,
  tags: { accepts: (value) => Array.isArray(value) && value.every(hasWords), wants: "a list of words" },
  dedupeKey: text,
  ttlTurns: { accepts: (value) => Number.isInteger(value) && (value as number) > 0, wants: "a whole number of turns above 0" },
  preserveOnCompact: flag,
  propagate: oneOf("all", "session", "none"),
  roleHint: oneOf("system", "developer", "user_block", "ephemeral_cache"),
  authority: { ...text, accepts: isString },
  auditOnly: flag,
};

function bad(message: string): HookError {
  return new HookError("HL_BAD_REMINDER", message);
}
