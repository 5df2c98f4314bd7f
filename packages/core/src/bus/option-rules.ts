import { HookError } from "../catalog/errors.js";
import { didYouMean } from "../text/did-you-mean.js";
import { shown } from "./describe-error.js";

/** What an option takes, and how a message says so. */
export interface Rule {
  readonly accepts: (value: unknown) => boolean;
  readonly wants: string;
  /** Messages do not show what was given. */
  readonly isSecret?: boolean;
}

/** One rule for every option there is. */
export type Rules<T> = { readonly [K in keyof Required<T>]: Rule };

/** The options, read once: a getter cannot change what was checked. Throws `HL_UNKNOWN_OPTION` or `HL_BAD_OPTION`, naming the option. */
export function checkOptions<T extends object>(where: string, options: T, rules: Rules<T>): T {
  if (typeof options !== "object" || options === null)
    throw new HookError("HL_BAD_OPTION", `${where}: options must be an object, not ${shown(options)}.`);
  const checked = { ...options };
  for (const [key, value] of Object.entries(checked)) {
    const rule = Object.hasOwn(rules, key) ? rules[key as keyof T] : undefined;
    if (rule === undefined) throw unknownOption(where, key, Object.keys(rules));
    if (value === undefined || rule.accepts(value)) continue;
    const given = rule.isSecret === true ? "" : `, not ${shown(value)}`;
    throw new HookError("HL_BAD_OPTION", `${where}: "${key}" must be ${rule.wants}${given}.`);
  }
  return checked;
}

export const text: Rule = { accepts: (value) => typeof value === "string" && value !== "", wants: "text that is not empty" };
export const flag: Rule = { accepts: (value) => typeof value === "boolean", wants: "true or false" };
export const callback: Rule = { accepts: (value) => typeof value === "function", wants: "a function" };
export const label: Rule = { accepts: (value) => typeof value === "string" && /^\S+$/.test(value), wants: "a name without spaces" };
export const filePath: Rule = {
  accepts: (value) => typeof value === "string" && value !== "" && !value.includes("\0"),
  wants: "the path of a file",
};
export const positive: Rule = { accepts: (value) => typeof value === "number" && value > 0, wants: "a number above 0" };
export const positiveCount: Rule = {
  accepts: (value) => value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && (value as number) > 0),
  wants: "a whole number above 0",
};
// Beyond it Node's timers fire at once.
export const milliseconds: Rule = {
  accepts: (value) => typeof value === "number" && value >= 0 && value <= 2 ** 31 - 1,
  wants: "a number of milliseconds, at most 2147483647",
};

export function oneOf(...words: readonly string[]): Rule {
  return { accepts: (value) => words.includes(value as string), wants: words.map((word) => `"${word}"`).join(" or ") };
}

function unknownOption(where: string, key: string, known: readonly string[]): HookError {
  return new HookError("HL_UNKNOWN_OPTION", `${where} has no option "${key}".${didYouMean(key, known)} Options: ${known.join(", ")}.`);
}
