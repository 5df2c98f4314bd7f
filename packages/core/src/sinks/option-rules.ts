import { didYouMean } from "../catalog/did-you-mean.js";
import { HookError } from "../catalog/errors.js";

export interface Rule {
  readonly accepts: (value: unknown) => boolean;
  readonly wants: string;
}

/** One rule for every option there is. */
export type Rules<T> = { readonly [K in keyof Required<T>]: Rule };

/** Throws `HL_UNKNOWN_OPTION` or `HL_BAD_OPTION`, naming the option. */
export function checkOptions<T extends object>(owner: string, options: T, rules: Rules<T>): void {
  if (typeof options !== "object" || options === null) throw new HookError("HL_BAD_OPTION", `${owner}: options must be an object.`);
  for (const [key, value] of Object.entries(options)) {
    const rule = Object.hasOwn(rules, key) ? rules[key as keyof T] : undefined;
    if (rule === undefined)
      throw new HookError("HL_UNKNOWN_OPTION", `${owner} has no option "${key}".${didYouMean(key, Object.keys(rules))}`);
    if (value !== undefined && !rule.accepts(value)) throw new HookError("HL_BAD_OPTION", `${owner}: "${key}" must be ${rule.wants}.`);
  }
}

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
export const milliseconds: Rule = {
  accepts: (value) => typeof value === "number" && value >= 0 && value <= 2 ** 31 - 1,
  wants: "a number of milliseconds, at most 2147483647",
};

export function oneOf(...words: readonly string[]): Rule {
  return { accepts: (value) => words.includes(value as string), wants: words.map((word) => `"${word}"`).join(" or ") };
}
