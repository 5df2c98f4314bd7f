import { didYouMean } from "../catalog/did-you-mean.js";
import { HookError } from "../catalog/errors.js";
import { typeName } from "./describe-error.js";
import type { BusOptions, HandlerOptions } from "./types.js";

interface Rule {
  readonly accepts: (value: unknown) => boolean;
  readonly wants: string;
}

const text: Rule = { accepts: (value) => typeof value === "string" && value !== "", wants: "text that is not empty" };
const flag: Rule = { accepts: (value) => typeof value === "boolean", wants: "true or false" };
const milliseconds: Rule = {
  accepts: (value) => typeof value === "number" && value >= 0 && !Number.isNaN(value),
  wants: "a number of milliseconds, 0 for no limit",
};
const callback: Rule = { accepts: (value) => typeof value === "function", wants: "a function" };
const texts: Rule = {
  accepts: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  wants: "a list of names",
};
const anything: Rule = { accepts: () => true, wants: "anything" };
const count: Rule = { accepts: (value) => Number.isInteger(value) && (value as number) >= 0, wants: "a whole number, 0 or more" };

function oneOf(...words: readonly string[]): Rule {
  return { accepts: (value) => words.includes(value as string), wants: words.map((word) => `"${word}"`).join(" or ") };
}

function having(method: string, wants: string): Rule {
  return {
    accepts: (value) => typeof value === "object" && value !== null && typeof (value as Record<string, unknown>)[method] === "function",
    wants,
  };
}

const handlerRules: { readonly [K in keyof Required<HandlerOptions>]: Rule } = {
  name: text,
  description: { accepts: (value) => typeof value === "string", wants: "text" },
  path: text,
  owner: text,
  permissions: texts,
  priority: { accepts: (value) => typeof value === "number" && Number.isFinite(value), wants: "a number" },
  stage: oneOf("rewrite", "guard", "observe"),
  match: anything, // compiled, and refused, by match/
  tool: anything,
  timeoutMs: milliseconds,
  onFailure: oneOf("open", "closed", "abort"),
  once: flag,
  signal: having("addEventListener", "an AbortSignal"),
  health: callback,
};

const busRules: { readonly [K in keyof Required<BusOptions>]: Rule } = {
  source: {
    accepts: (value) => text.accepts(value) || typeof (value as { app?: unknown } | null)?.app === "string",
    wants: "a name, or an object with an app",
  },
  observe: oneOf("parallel", "sequential"),
  onModify: oneOf("chain", "stop"),
  onAsk: oneOf("resolve", "return", "stop"),
  askTimeoutMs: milliseconds,
  runAll: flag,
  freeze: flag,
  timeoutMs: milliseconds,
  maxAgain: count,
  reminders: having("add", "a reminder book"),
  regex: having("compile", "an object with compile(source)"),
  trace: { accepts: (value) => flag.accepts(value) || callback.accepts(value), wants: "true, false or a function" },
  onError: callback,
};

export function checkHandlerOptions(options: HandlerOptions, where: string): void {
  check(options, handlerRules, where);
  if (options.stage === "observe" && options.onFailure !== undefined && options.onFailure !== "open") {
    throw new HookError(
      "HL_BAD_OPTION",
      `${where}: stage "observe" comes after the decision, so it cannot fail "${options.onFailure}". Use stage "guard", or onFailure "open".`,
    );
  }
}

export function checkBusOptions(options: BusOptions): void {
  check(options, busRules, "createBus");
}

function check(options: object, rules: { readonly [key: string]: Rule }, where: string): void {
  if (typeof options !== "object" || options === null)
    throw new HookError("HL_BAD_OPTION", `${where}: options must be an object, not ${typeName(options)}.`);
  for (const [key, value] of Object.entries(options)) {
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    if (rule === undefined)
      throw new HookError(
        "HL_UNKNOWN_OPTION",
        `${where} has no option "${key}".${didYouMean(key, Object.keys(rules))} Options: ${Object.keys(rules).join(", ")}.`,
      );
    if (value !== undefined && !rule.accepts(value))
      throw new HookError("HL_BAD_OPTION", `${where}: "${key}" must be ${rule.wants}, not ${typeName(value)}.`);
  }
}
