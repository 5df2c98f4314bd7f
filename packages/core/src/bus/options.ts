import { didYouMean } from "../catalog/did-you-mean.js";
import { HookError } from "../catalog/errors.js";
import { catalog } from "../catalog/events.js";
import { typeName } from "./describe-error.js";
import type { RunToolOptions } from "./run-tool.js";
import type { BusOptions, ClearFilter, DecideOptions, HandlerOptions } from "./types.js";

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

const decideRules: { readonly [K in keyof Required<DecideOptions>]: Rule } = { signal: handlerRules.signal };
const runToolRules: { readonly [K in keyof Required<RunToolOptions>]: Rule } = { signal: handlerRules.signal, timeoutMs: milliseconds };
const categories = [...new Set(Object.values(catalog).map(({ category }) => category)), "ui", "other"];
const clearRules: { readonly [K in keyof Required<ClearFilter>]: Rule } = { category: oneOf(...categories), owner: text };
const queueRules = { max: { accepts: (value: unknown) => count.accepts(value) && (value as number) > 0, wants: "a whole number above 0" } };

/** The options, read once: what was checked is what counts. */
export function checkHandlerOptions(options: HandlerOptions, where: string): HandlerOptions {
  const checked = check(options, handlerRules, where);
  if (checked.stage === "observe" && checked.onFailure !== undefined && checked.onFailure !== "open") {
    throw new HookError(
      "HL_BAD_OPTION",
      `${where}: stage "observe" comes after the decision, so it cannot fail "${checked.onFailure}". Use stage "guard", or onFailure "open".`,
    );
  }
  return checked;
}

export function checkBusOptions(options: BusOptions): BusOptions {
  return check(options, busRules, "createBus");
}

export function checkDecideOptions(options: DecideOptions): DecideOptions {
  return check(options, decideRules, "decide");
}

export function checkRunToolOptions(options: RunToolOptions): RunToolOptions {
  return check(options, runToolRules, "runTool");
}

export function checkQueueOptions(options: { readonly max?: number }): { readonly max?: number } {
  return check(options, queueRules, "createEventQueue");
}

/** A key that is there but undefined would remove everything, so it is refused. */
export function checkClearFilter(filter: ClearFilter): ClearFilter {
  const checked = check(filter, clearRules, "clear");
  for (const [key, value] of Object.entries(checked))
    if (value === undefined) throw new HookError("HL_BAD_OPTION", `clear: "${key}" is undefined. Leave it out to clear everything.`);
  return checked;
}

function check<T extends object>(options: T, rules: { readonly [key: string]: Rule }, where: string): T {
  if (typeof options !== "object" || options === null)
    throw new HookError("HL_BAD_OPTION", `${where}: options must be an object, not ${typeName(options)}.`);
  const checked = { ...options };
  for (const [key, value] of Object.entries(checked)) {
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    if (rule === undefined) {
      const known = Object.keys(rules);
      throw new HookError("HL_UNKNOWN_OPTION", `${where} has no option "${key}".${didYouMean(key, known)} Options: ${known.join(", ")}.`);
    }
    if (value !== undefined && !rule.accepts(value))
      throw new HookError("HL_BAD_OPTION", `${where}: "${key}" must be ${rule.wants}, not ${show(value)}.`);
  }
  return checked;
}

function show(value: unknown): string {
  if (typeof value === "string") return `"${value.slice(0, 40)}"`;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : typeName(value);
}
