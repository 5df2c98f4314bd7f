import { HookError } from "../catalog/errors.js";
import { catalog } from "../catalog/events.js";
import { callback, checkOptions, flag, oneOf, positiveCount, type Rule, type Rules, text } from "./option-rules.js";
import type { RunToolOptions } from "./run-tool.js";
import type { BusOptions, ClearFilter, DecideOptions, HandlerOptions } from "./types.js";

const texts: Rule = {
  accepts: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  wants: "a list of names",
};
const anything: Rule = { accepts: () => true, wants: "anything" };
const count: Rule = { accepts: (value) => Number.isInteger(value) && (value as number) >= 0, wants: "a whole number, 0 or more" };
/** A value longer than a timer can wait is fine here: it means no limit. */
const limitMs: Rule = { accepts: (value) => typeof value === "number" && value >= 0, wants: "a number of milliseconds, 0 for no limit" };

function having(method: string, wants: string): Rule {
  return {
    accepts: (value) => typeof value === "object" && value !== null && typeof (value as Record<string, unknown>)[method] === "function",
    wants,
  };
}

const regex = having("compile", "an object with compile(source)");

const handlerRules: Rules<HandlerOptions> = {
  name: text,
  description: { accepts: (value) => typeof value === "string", wants: "text" },
  path: text,
  owner: text,
  actor: oneOf("guard", "rule", "hook", "hub", "policy"),
  permissions: texts,
  priority: { accepts: (value) => typeof value === "number" && Number.isFinite(value), wants: "a number" },
  stage: oneOf("rewrite", "guard", "observe"),
  match: anything, // compiled, and refused, by match/
  matchEvents: texts,
  index: callback,
  concern: { accepts: (value) => typeof value === "object", wants: "an object" },
  tool: anything,
  regex,
  timeoutMs: limitMs,
  onFailure: oneOf("open", "closed", "abort"),
  once: flag,
  suspend: flag,
  signal: having("addEventListener", "an AbortSignal"),
  health: callback,
};

const busRules: Rules<BusOptions> = {
  source: {
    accepts: (value) => text.accepts(value) || typeof (value as { app?: unknown } | null)?.app === "string",
    wants: "a name, or an object with an app",
  },
  enabled: flag,
  observe: oneOf("parallel", "sequential"),
  onModify: oneOf("chain", "stop"),
  onAsk: oneOf("resolve", "return", "stop"),
  askTimeoutMs: limitMs,
  onFailure: oneOf("open", "closed"),
  runAll: flag,
  freeze: flag,
  timeoutMs: limitMs,
  maxAgain: count,
  reminders: having("add", "a reminder book"),
  regex,
  trace: { accepts: (value) => flag.accepts(value) || callback.accepts(value), wants: "true, false or a function" },
  onError: callback,
};

const decideRules: Rules<DecideOptions> = { signal: handlerRules.signal, approver: callback, observers: flag, copy: flag };
const runToolRules: Rules<RunToolOptions> = {
  signal: handlerRules.signal,
  timeoutMs: limitMs,
  stream: oneOf("collect", "pass"),
  maxStreamBytes: positiveCount,
  streamTimeoutMs: limitMs,
};
const categories = [...new Set(Object.values(catalog).map(({ category }) => category)), "ui", "other"];
const clearRules: Rules<ClearFilter> = { category: oneOf(...categories), owner: text };
const queueRules: Rules<{ max?: number }> = { max: positiveCount };

/** The options, read once: a getter cannot change what was checked. */
export function checkHandlerOptions(options: HandlerOptions, where: string): HandlerOptions {
  const checked = checkOptions(where, options, handlerRules);
  if (checked.stage === "observe" && checked.onFailure !== undefined && checked.onFailure !== "open") {
    throw new HookError(
      "HL_BAD_OPTION",
      `${where}: stage "observe" comes after the decision, so it cannot fail "${checked.onFailure}". Use stage "guard", or onFailure "open".`,
    );
  }
  return checked;
}

export function checkBusOptions(options: BusOptions): BusOptions {
  return checkOptions("createBus", options, busRules);
}

export function checkDecideOptions(options: DecideOptions): DecideOptions {
  return checkOptions("decide", options, decideRules);
}

export function checkRunToolOptions(options: RunToolOptions): RunToolOptions {
  return checkOptions("runTool", options, runToolRules);
}

export function checkQueueOptions(options: { readonly max?: number }): { readonly max?: number } {
  return checkOptions("createEventQueue", options, queueRules);
}

/** A key that is there but undefined would remove everything, so it is refused. */
export function checkClearFilter(filter: ClearFilter): ClearFilter {
  const checked = checkOptions("clear", filter, clearRules);
  for (const [key, value] of Object.entries(checked))
    if (value === undefined) throw new HookError("HL_BAD_OPTION", `clear: "${key}" is undefined. Leave it out to clear everything.`);
  return checked;
}
