import { ask, type Bus, HookError, type HookEvent, type Match } from "@hookline/core";
import { compileMatch } from "@hookline/core/internal";
import { actionOf, type RuleAction, type RuleHandler, type RuleNotice } from "./actions.js";
import { answeringRules, askingRule, findAnswerFaults, namesEvent } from "./answers.js";
import { isDoubt, isUnread } from "./command/command-table.js";
import { type Condition, findConditionFaults, openCondition } from "./command/condition.js";
import { compileFactMatch, readsFacts } from "./command/expression-facts.js";
import { concernOfRule } from "./concern-of-rule.js";
import { everyPermission, failureModeOfRule } from "./default-failure.js";
import { findPathProblems } from "./path-faults.js";
import { compileRuleMatch, ruleRegex, type Scope, within } from "./regex/rule-regex.js";
import { compileReplace } from "./replacement.js";
import type { Rule } from "./rule.js";
import { allowsOutcome, findFaults, type RuleFault } from "./rule-faults.js";
import { needsOfMatch, type RuleIndex, ruleIndexOf } from "./rule-index.js";
import { RuleState } from "./state/rule-state.js";
import {
  compileCondition,
  findAfterFaults,
  hasState,
  needsOf,
  noteEvent,
  noteMatch,
  noteResult,
  type StateNeeds,
  type StateOf,
} from "./state/state-condition.js";
import { toolsOf } from "./tool-sets.js";
import { compileWhen } from "./when.js";

/** Options of `registerRules`. */
export interface RuleOptions {
  /** The owner of the rules. Names are unique per owner. Default `"rules"`. */
  readonly owner?: string;
  /** A project's rules can tighten and never loosen. Default `"user"`. */
  readonly trust?: "user" | "project";
  /** @internal A filter for their events, besides their own filters. */
  readonly scope?: Scope;
  /** @internal What rules remember. Without it, rules that count remember in the memory of this process. */
  readonly state?: RuleState;
  /** @internal Rules that are registered apart, and that `after` may name. */
  readonly others?: readonly Pick<Rule, "name" | "after">[];
  /** @internal Rules that are registered apart, and that answer questions of these or ask what these answer. */
  readonly inForce?: readonly Rule[];
  /** @internal What `findLooseEnds` said about all rules of the file, which are registered one by one. */
  readonly looseEnds?: LooseEnds;
  /** Called by rules with `do = "notify"`. */
  readonly onNotify?: (notice: RuleNotice) => void;
  /** Called when a rule with `mode = "shadow"` would have said something. */
  readonly onShadow?: (shadow: RuleShadow) => void;
  /** @internal Called for each event that a rule matches, before its action. */
  readonly onMatch?: (rule: Rule) => void;
  /** @internal Wraps the answer of each rule. */
  readonly around?: (answer: RuleHandler) => RuleHandler;
  /** Called for each invalid rule, which is left out; the others stay. Without it, an invalid rule makes `registerRules` throw. */
  readonly onError?: (error: HookError) => void;
}

/** What a rule with `mode = "shadow"` would have said. */
export interface RuleShadow {
  readonly rule: string;
  readonly do: RuleAction;
  /** The rule's message. */
  readonly message?: string;
  readonly event: string;
  readonly session: HookEvent["session"];
  readonly payload: unknown;
}

/** The rules that `registerRules` put on a bus. */
export interface RegisteredRules {
  list(): readonly RuleRow[];
  close(): void;
}

/** A rule, its state, and what it has done so far. */
export interface RuleRow {
  readonly rule: Rule;
  readonly state: "active" | "disabled" | "broken";
  /** Why it is broken. */
  readonly reason?: string;
  /** Its parts that cannot be checked. */
  readonly warnings?: readonly string[];
  readonly fired: number;
  /** Milliseconds since 1970. */
  readonly lastFiredAt?: number;
  readonly neverFired: boolean;
}

/** Rules answer at once, so they never use this up; a limit for the whole chain adds it up. */
const TIMEOUT_MS = 10;

/**
 * Registers rules on a bus, each as a separate handler: they run in the bus's order, appear in its trail and statistics under their names,
 * and run again after a rewrite. Throws `HL_BAD_RULE` for an invalid rule, and registers none, unless there is an `onError`.
 */
export function registerRules(bus: Bus, rules: readonly Rule[], options: RuleOptions = {}): RegisteredRules {
  return prepareRules(bus, rules, options).put();
}

/** Rules that are compiled, and not on the bus yet. */
export interface PreparedRules {
  /** Puts them on the bus. */
  put(): RegisteredRules;
  /** They are not needed after all. */
  drop(): void;
}

/** The first half of `registerRules`, which takes the time. What it compiles decides nothing yet. */
export function prepareRules(bus: Bus, rules: readonly Rule[], options: RuleOptions = {}): PreparedRules {
  const { owner = "rules", onError } = options;
  const offs: (() => void)[] = [];
  const drop = (): void => {
    for (const off of offs.splice(0)) off();
  };
  const ready: { readonly rule: Rule; readonly put: () => void }[] = [];
  const rejected = new Map<Rule, string>();
  const state = options.state ?? memoryOf(bus, rules);
  const inForce = options.inForce ?? rules;
  const looseEnds = options.looseEnds ?? findLooseEnds(rules, options.others, inForce);

  function attempt(rule: Rule, act: () => void): void {
    try {
      act();
    } catch (thrown) {
      const error = asError(thrown, rule);
      rejected.set(rule, error.message);
      if (onError === undefined) {
        drop();
        throw error;
      }
      onError(error);
    }
  }

  for (const rule of rules.filter(({ enabled }) => enabled !== false))
    attempt(rule, () => {
      const wrong = looseEnds.get(rule);
      if (wrong !== undefined) throw new HookError("HL_BAD_RULE", wrong);
      const put = prepareRule(bus, rule, { ...options, owner, inForce, offs, ...(state !== undefined && { state }) });
      ready.push({ rule, put });
    });
  return {
    drop,
    put() {
      for (const { rule, put } of ready) attempt(rule, put);
      return { list: () => rules.map((rule) => rowOf(bus, owner, rule, rejected.get(rule))), close: drop };
    },
  };
}

/** Rules whose `after` or `answers` names no rule that can be used, with why. */
type LooseEnds = ReadonlyMap<Rule, string>;

export function findLooseEnds(rules: readonly Rule[], others: RuleOptions["others"], inForce: readonly Rule[]): LooseEnds {
  return new Map([
    ...findAnswerFaults(inForce).map(({ rule, message }) => [rule, `"answers" ${message}`] as const),
    ...findAfterFaults(rules, others).map(({ rule, message }) => [rule, `"after" ${message}`] as const),
  ]);
}

/** The answer of a rule to an event that matches. Throws `HL_BAD_RULE`. */
function createRuleHandler(rule: Rule, onNotify: (notice: RuleNotice) => void): RuleHandler {
  const { outcome, handler } = actionOf(rule.do);
  const answer = handler(rule, onNotify);
  const isSure = outcome === undefined || rule.events.every((event) => !event.includes("*"));
  // A pattern also covers events that do not accept the outcome.
  return isSure ? answer : (event) => (allowsOutcome(event.name, outcome) ? answer(event) : undefined);
}

/** The same for a rule that depends on what happened before, or that another one may come after. */
function remembering(rule: Rule, where: StateOf, answerOf: (rule: Rule) => RuleHandler): RuleHandler {
  const answer = answerOf(rule);
  if (!hasState(rule))
    return (event) => {
      noteMatch(where, event);
      return answer(event);
    };
  const condition = compileCondition(rule, where);
  const { name, do: action, message = `The rule "${name}" says ${action}.` } = rule;
  const isVerdict = action === "block" || action === "ask";
  return (event) => {
    const reason = condition(event);
    if (reason === undefined) return undefined;
    noteMatch(where, event);
    return isVerdict ? answerOf({ ...rule, message: `${message} ${reason}` })(event) : answer(event);
  };
}

const memories = new WeakMap<Bus, RuleState>();

/** What the rules of a bus without a hub remember. Undefined if none of them needs it. */
function memoryOf(bus: Bus, rules: readonly Rule[]): RuleState | undefined {
  const known = memories.get(bus);
  if (known === undefined && !rules.some(hasState)) return undefined;
  const state = known ?? new RuleState();
  memories.set(bus, state);
  followEvents(bus, state, rules);
  return state;
}

const followed = new WeakMap<Bus, StateNeeds>();

/** Lets a state see the results and the usage that a bus reports. Only a bus whose rules ask about them pays for the tap. */
export function followEvents(bus: Bus, state: RuleState, rules: readonly Rule[]): void {
  const before = followed.get(bus);
  const more = needsOf(rules);
  if (!more.results && !more.usage) return;
  const needs = { parents: true, results: more.results || before?.results === true, usage: more.usage || before?.usage === true };
  followed.set(bus, needs);
  if (before === undefined) bus.tap({ dispatched: ({ name, payload }) => noteEvent(state, name, payload, followed.get(bus) ?? needs) });
}

/** Under which name the state knows a rule. */
function stateId(owner: string, name: string): string {
  return owner === "rules" ? name : `${owner} ${name}`;
}

export function stateOf({ name, after }: Rule, state: RuleState, owner = "rules"): StateOf {
  return { state, id: stateId(owner, name), ...(after !== undefined && { afterId: stateId(owner, after) }) };
}

/** Says nothing, and reports what the rule would have said: once per decision, however often a rewrite makes guards look again. */
function createShadow(
  { name, do: action, message }: Rule,
  create: (onNotice: () => void) => RuleHandler,
  onShadow: (shadow: RuleShadow) => void,
): RuleHandler {
  let isNotice = false;
  const answer = create(() => {
    isNotice = true;
  });
  let last = "";
  return (event) => {
    isNotice = false;
    const outcome = answer(event);
    if ((outcome === undefined && !isNotice) || event.id === last) return undefined;
    last = event.id;
    // A rule that blocks asks where a fact is not known.
    const would = outcome?.kind === "ask" ? "ask" : action;
    const said = message === undefined ? {} : { message };
    onShadow({ rule: name, do: would, ...said, event: event.name, session: event.session, payload: event.payload });
    return undefined;
  };
}

function withMatch(rule: Rule, answer: RuleHandler, onMatch: (rule: Rule) => void): RuleHandler {
  return (event) => {
    onMatch(rule);
    return answer(event);
  };
}

interface PrepareOptions extends RuleOptions {
  readonly owner: string;
  readonly inForce: readonly Rule[];
  /** Gets how to undo what was opened. */
  readonly offs: (() => void)[];
}

/** Compiles a rule. The function that it gives registers it for all its events or for none. */
function prepareRule(bus: Bus, rule: Rule, options: PrepareOptions): () => void {
  const { trust = "user", onNotify = () => {}, onShadow = () => {}, onMatch, inForce } = options;
  check(rule, trust);
  const own = openCondition(bus, rule);
  const condition = conditionOf(rule, own);
  const answers = answeringRules(rule, inForce).map((answering) => openAnswer(bus, answering));
  const asks = rule.answers === undefined ? undefined : openTest(bus, askingRule(rule, inForce));
  const opened: (() => void)[] = [condition, asks, ...answers].flatMap((one) => (one === undefined ? [] : [one.close]));
  function answerWith(onNotice: (notice: RuleNotice) => void): RuleHandler {
    const answerOf = (given: Rule): RuleHandler => {
      const answer = withUnknown(given, condition, unlessAnswered(answers, condition, createRuleHandler(given, onNotice)));
      return onMatch === undefined ? answer : withMatch(rule, answer, onMatch);
    };
    return options.state === undefined ? answerOf(rule) : remembering(rule, stateOf(rule, options.state, options.owner), answerOf);
  }
  if (rule.after !== undefined) opened.push(options.state?.follow(stateId(options.owner, rule.after)) ?? (() => {}));
  const closeAll = (): void => {
    for (const close of opened.splice(0)) close();
  };
  try {
    const plain = rule.mode === "shadow" ? createShadow(rule, answerWith, onShadow) : answerWith(onNotify);
    const handler = options.around?.(plain) ?? plain;
    // The condition is evaluated first, and it may fail.
    const needs = condition === undefined ? needsOfMatch(rule.match) : own?.needs;
    const registrations = [...new Set(rule.events)].map((event) => {
      const index = needs === undefined ? undefined : ruleIndexOf(bus, event);
      const put = bus.prepare(event, handler, optionsOf(rule, event, { ...options, condition, index, asks }));
      return () => {
        opened.push(put());
        if (index !== undefined && needs !== undefined) opened.push(index.add(handler, needs));
      };
    });
    if (rule.from !== undefined && options.state !== undefined) registrations.push(prepareNotes(bus, rule, opened, options));
    options.offs.push(closeAll);
    return () => {
      try {
        for (const put of registrations) put();
      } catch (error) {
        closeAll();
        throw error;
      }
    };
  } catch (error) {
    closeAll();
    throw error;
  }
}

/** A rule about secrets of another server sees the results, and changes none. What it cannot see is withheld. */
function prepareNotes(bus: Bus, rule: Rule, opened: (() => void)[], { state, owner, scope }: PrepareOptions): () => void {
  const where = stateOf(rule, state as RuleState, owner);
  const { name, tool, description, file } = rule;
  const match = within(scope, undefined);
  const put = bus.prepare(
    "tool:result",
    (event: HookEvent) => {
      noteResult(rule, where, event);
      return undefined;
    },
    {
      name: `${name} (results)`,
      owner,
      actor: "rule" as const,
      permissions: everyPermission,
      stage: "guard",
      timeoutMs: TIMEOUT_MS,
      onFailure: "closed",
      ...(match !== undefined && { match }),
      ...(tool !== undefined && { tool: toolsOf(tool) }),
      ...(description !== undefined && { description }),
      ...(file !== undefined && { path: file }),
    },
  );
  return () => void opened.push(put());
}

function conditionOf(rule: Rule, own: Condition | undefined): Condition | undefined {
  const facts = compileFactMatch(rule.match, rule.do === "allow");
  const expression = facts === undefined ? undefined : { answer: facts, close: () => {} };
  return bothOf(bothOf(own, expression), rule.when === undefined ? undefined : compileWhen({ ...rule, when: rule.when }));
}

/** Whether another rule certainly is about an event. */
interface RuleTest {
  holds(event: Pick<HookEvent, "payload" | "value">): boolean;
  close(): void;
}

function openTest(bus: Bus, rule: Rule | undefined): RuleTest {
  if (rule === undefined) return { holds: () => false, close: () => {} };
  const condition = conditionOf(rule, openCondition(bus, rule));
  const match = withCondition({ ...rule, unknown: "pass" }, condition);
  const matches = compileMatch({ match, ...(rule.tool !== undefined && { tool: toolsOf(rule.tool) }) }, ruleRegex);
  return { holds: ({ payload, value }) => matches?.(payload, value) ?? true, close: condition?.close ?? (() => {}) };
}

/** Whether a rule answers the question about an event. */
interface Answer {
  holds(event: Pick<HookEvent, "name" | "payload" | "value">): boolean;
  close(): void;
}

/** A rule that is broken answers nothing, and the question stays. */
function openAnswer(bus: Bus, rule: Rule): Answer {
  try {
    check(rule, "user");
    const { holds, close } = openTest(bus, rule);
    return { holds: (event) => namesEvent(rule, event.name) && holds(event), close };
  } catch {
    return openTest(bus, undefined);
  }
}

/** The question was answered by a rule. What is not known is asked all the same. */
function unlessAnswered(answers: readonly Answer[], condition: Condition | undefined, handler: RuleHandler): RuleHandler {
  if (answers.length === 0) return handler;
  return (event) => {
    const isKnown = typeof condition?.answer(event.payload) !== "string";
    return isKnown && answers.some((answer) => answer.holds(event)) ? undefined : handler(event);
  };
}

/** A rule with facts and with `when` needs both. What is not known counts only if nothing is false. */
function bothOf(facts: Condition | undefined, when: Condition | undefined): Condition | undefined {
  if (facts === undefined || when === undefined) return facts ?? when;
  return {
    answer(payload) {
      const first = facts.answer(payload);
      const second = first === false ? false : when.answer(payload);
      return second === true ? first : second;
    },
    close: facts.close,
  };
}

/** What a rule does where a fact is not known. */
function unknownModeOf({ unknown, do: action }: Pick<Rule, "unknown" | "do">): "ask" | "match" | "pass" {
  return unknown ?? (action === "block" || action === "ask" ? "ask" : "pass");
}

/** A rule that may be about the call asks a person, who reads what is not known. */
function withUnknown(rule: Rule, condition: Condition | undefined, handler: RuleHandler): RuleHandler {
  const mode = unknownModeOf(rule);
  if (condition === undefined || mode === "match") return handler;
  return (event) => {
    const why = condition.answer(event.payload);
    const asks = typeof why === "string" && (mode === "ask" || isDoubt(why)) && allowsOutcome(event.name, "ask");
    return asks ? ask(unknownText(rule, why)) : handler(event);
  };
}

/** Where nothing is known of a command, the rule's own message would say what is not so. */
function unknownText({ name, message }: Rule, why: string): string {
  const [first = "", ...rest] = why;
  const reason = `${first.toUpperCase()}${rest.join("")}`;
  if (isUnread(why)) return `${reason}. The rule "${name}" may apply.`;
  return `${reason}, so the rule "${name}" may apply.${message === undefined ? "" : ` It says: ${message}`}`;
}

/** True for a rule that a project may not have: a project can tighten and never loosen. */
export function refusedInProject({ do: action }: Pick<Rule, "do">): boolean {
  return actionOf(action).loosens;
}

function check(rule: Rule, trust: "user" | "project"): void {
  if (trust === "project" && refusedInProject(rule))
    throw new HookError(
      "HL_RULE_LOOSENS",
      `do = "${rule.do}" is refused in a project, which can tighten and never loosen. Put it into your own hookline.toml.`,
    );
  const [fault] = findFaults(rule);
  if (fault !== undefined) throw new HookError("HL_BAD_RULE", sentenceOf(rule, fault));
  const [bad] = findConditionFaults(rule);
  if (bad !== undefined) throw new HookError("HL_BAD_RULE", `"${bad.path.join(".")}" ${bad.message}.`);
  const [wrong] = findPathProblems({ ...rule, hasFacts: true }).filter(({ severity }) => severity === "error");
  if (wrong !== undefined) throw new HookError("HL_UNKNOWN_PATH", `"${wrong.key[0]}": ${wrong.message}`, { position: wrong.at });
  compileRuleMatch(rule);
}

function sentenceOf(rule: Rule, { key, message }: RuleFault): string {
  const isMissing = (key === "set" || key === "message" || key === "find" || key === "with") && rule[key] === undefined;
  return `"${key}" ${isMissing ? "is missing: it " : ""}${message}.`;
}

interface Place {
  readonly owner: string;
  readonly scope?: Scope;
  readonly condition: Condition | undefined;
  readonly index: RuleIndex | undefined;
  readonly asks: RuleTest | undefined;
}

function optionsOf(rule: Rule, event: string, { owner, scope, condition, index, asks }: Place) {
  const { name, tool, priority, description, file } = rule;
  const match = within(scope, whereAsked(withCondition(rule, condition), asks));
  const stage = rule.stage ?? actionOf(rule.do).stage;
  return {
    name,
    owner,
    actor: "rule" as const,
    permissions: everyPermission,
    stage,
    timeoutMs: TIMEOUT_MS,
    regex: ruleRegex,
    onFailure: failureModeOfRule(rule, event),
    matchEvents: rule.events,
    ...(match !== undefined && { match }),
    ...(tool !== undefined && { tool: toolsOf(tool) }),
    ...(index !== undefined && { index: index.find }),
    concern: concernOfRule(rule),
    ...(priority !== undefined && { priority }),
    ...(description !== undefined && { description }),
    ...(file !== undefined && { path: file }),
  };
}

/** The condition comes first: for most calls it is one look at a map. */
function withCondition(rule: Rule, condition: Condition | undefined): Match | undefined {
  const match = matchOf(rule);
  if (condition === undefined) return match;
  const mode = unknownModeOf(rule);
  const asksOrBlocks = rule.do === "block" || rule.do === "ask";
  const matches = compileMatch({ match }, ruleRegex);
  const { answer: answerOf } = condition;
  return (payload, value) => {
    const answer = answerOf(payload);
    const counts = answer === true || (typeof answer === "string" && (mode !== "pass" || (asksOrBlocks && isDoubt(answer))));
    return counts && (matches === undefined || matches(payload, value));
  };
}

/** A rule that answers has nothing to say where the other rule does not ask. */
function whereAsked(match: Match | undefined, asks: RuleTest | undefined): Match | undefined {
  if (asks === undefined) return match;
  const matches = compileMatch({ match }, ruleRegex);
  return (payload, value) => (matches === undefined || matches(payload, value)) && asks.holds({ payload, value });
}

/** A rule that finds nothing to replace does not count as fired. */
function matchOf({ match: written, fields, find, with: replacement = "" }: Rule): Match | undefined {
  // The condition evaluates it, for each command.
  const expression = readsFacts(written) ? undefined : written;
  const match = fields === undefined ? expression : onlyFields(fields, expression);
  if (find === undefined) return match;
  const { isFound } = compileReplace(find, replacement);
  const matches = compileMatch({ match }, ruleRegex);
  return matches === undefined ? isFound : (payload, value) => matches(payload, value) && isFound(payload, value);
}

function onlyFields(fields: readonly string[], match: Match | undefined): Match {
  const known = new Set(fields);
  const matches = compileMatch({ match }, ruleRegex);
  return (payload, value) => {
    const { input } = ((payload as { readonly tool?: unknown } | null)?.tool ?? {}) as { readonly input?: unknown };
    if (typeof input !== "object" || input === null || !Object.keys(input).every((key) => known.has(key))) return false;
    return matches === undefined || matches(payload, value);
  };
}

function rowOf(bus: Bus, owner: string, rule: Rule, reason: string | undefined): RuleRow {
  if (reason !== undefined) return { rule, state: "broken", reason, fired: 0, neverFired: true };
  if (rule.enabled === false) return { rule, state: "disabled", fired: 0, neverFired: true };
  const stats = bus.stats().filter((row) => row.owner === owner && row.name === rule.name);
  const fired = stats.reduce((sum, { calls }) => sum + calls, 0);
  const last = Math.max(0, ...stats.map(({ lastFiredAt = 0 }) => lastFiredAt));
  const warnings = findPathProblems({ ...rule, hasFacts: true }).map(({ message }) => message);
  const unsure = warnings.length > 0 && { warnings };
  return { rule, state: "active", fired, neverFired: fired === 0, ...(last > 0 && { lastFiredAt: last }), ...unsure };
}

function asError(thrown: unknown, { name, file, line }: Rule): HookError {
  const where = file === undefined ? "" : `${file}${line === undefined ? "" : `:${line}`}: `;
  const { code, message } = thrown instanceof HookError ? thrown : { code: "HL_BAD_RULE" as const, message: String(thrown) };
  return new HookError(code, `${where}the rule "${name}" is left out: ${message}`, { handler: name, cause: thrown });
}
