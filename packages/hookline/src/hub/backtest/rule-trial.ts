import { type Bus, createBus, type Decision, findEvent, type HookError } from "@hookline/core";
import { compileToolScope, pathsIn } from "@hookline/core/internal";
import { compileEventFilter } from "@hookline/core/internal/sinks";
import { commandsOf } from "../../commands/commands-of.js";
import { ruleRegex } from "../../rules/regex/rule-regex.js";
import { registerRules } from "../../rules/register-rules.js";
import type { Rule } from "../../rules/rule.js";
import { RuleState } from "../../rules/state/rule-state.js";
import { hasState, needsOf, noteEvent, withoutState } from "../../rules/state/state-condition.js";
import type { KeyPath, RecordedCall, Said } from "./recorded-call.js";

/** What a set of rules says about one recorded call. */
export interface Judgement {
  readonly said: Said;
  /** The rules that matched. */
  readonly matched: readonly string[];
  /** The rule that decided. */
  readonly by?: string;
  readonly reason?: string;
  /** The rules that might have matched what the record hides, or that depend on an earlier call which hides something. */
  readonly unsure: readonly string[];
}

/** Rules on a bus of their own, set up like the hub's. */
export interface RuleTrial {
  /** Whether any rule is for this event. */
  covers(event: string): boolean;
  /** The same, or a rule depends on what such events tell. */
  needs(event: string): boolean;
  judge(call: RecordedCall): Judgement;
  /** The rules that are for this event and this tool, whatever the call contains. */
  lookersAt(call: RecordedCall): readonly Rule[];
  /** Rules that cannot be used, and why. */
  readonly problems: readonly string[];
  /** Rules about values that are not recorded. */
  readonly untried: readonly string[];
  close(): void;
}

/** The transform whose value is recorded: the output in `tool:after`. */
const RESULT: string = "tool:result";
const RECORDED = "tool:after";

export function createRuleTrial(rules: readonly Rule[]): RuleTrial {
  const problems: string[] = [];
  const matched = new Set<string>();
  const onError = ({ message }: HookError): void => void problems.push(message);
  // All rules see the call, also after one has blocked it: the report counts each of them.
  // What is judged was just read from the record: nothing else holds it, so no copy is taken.
  const bus = createBus({
    source: "backtest",
    enabled: true,
    regex: ruleRegex,
    onAsk: "return",
    runAll: true,
    freeze: false,
    onError: () => {},
  });
  // What rules remember has the times of the record.
  let now = 0;
  const clock = { now: () => now, day: () => dayOf(now), notBefore: () => {} };
  const state = rules.some(hasState) ? new RuleState({ clock }) : undefined;
  const needs = needsOf(rules);
  const options = { onError, onMatch: ({ name }: Rule) => void matched.add(name), ...(state !== undefined && { state }) };
  const registered = registerRules(bus, rules.map(atOnce), options);
  const active = rules.filter(({ enabled }) => enabled !== false);
  const lookers = createLookers(active);
  const doubts = state === undefined ? undefined : createDoubts(active);
  const hasResults = bus.has(RESULT);
  const has = (event: string): boolean => bus.has(event) || (hasResults && event === RECORDED);
  return {
    problems,
    untried: active.filter(({ events }) => events.length > 0 && events.every(isOtherTransform)).map(({ name }) => name),
    covers: has,
    needs: (event) => has(event) || (needs.results && event === "tool:after") || (needs.usage && isUsage(event)),
    // A rule about commands does not look at a call that runs none.
    lookersAt: (call) =>
      lookers(call).filter(({ command, path }) => command === undefined || path !== undefined || commandsOf(call).length > 0),
    judge(call) {
      matched.clear();
      now = Math.max(now, Date.parse(call.envelope.at));
      if (state !== undefined) noteEvent(state, call.envelope.event, call.payload, needs);
      const decision = dispatch(bus, call);
      const result = hasResults && call.envelope.event === RECORDED ? transformed(bus, call) : undefined;
      const said = result?.said ?? (decision === undefined ? "pass" : saidBy(decision));
      const isSure = said === "block" || said === "ask" || call.hidden.length === 0;
      const hidden = isSure ? [] : lookers(call).filter((rule) => !matched.has(rule.name) && readsHidden(rule, call));
      const doubted = said === "block" || said === "ask" ? [] : (doubts?.about(call, matched) ?? []);
      doubts?.note(call, hidden);
      const by = result?.by ?? decision?.by;
      return {
        said,
        matched: [...matched],
        unsure: [...new Set([...hidden.map(({ name }) => name), ...doubted])],
        ...(by !== undefined && { by }),
        ...(decision?.reason !== undefined && { reason: decision.reason }),
      };
    },
    close() {
      registered.close();
      doubts?.close();
    },
  };
}

/** A recorded output is JSON, which a closed rule sees whole: it need not be read before the rule is asked. */
function atOnce(rule: Rule): Rule {
  return rule.events.some((event) => findEvent(event)?.name === RESULT) ? { ...rule, onFailure: "open" } : rule;
}

function isOtherTransform(event: string): boolean {
  const found = findEvent(event);
  return found?.spec.kind === "transform" && found.name !== RESULT;
}

/** What rules on `tool:result` do to the output that was recorded. */
function transformed(bus: Bus, { payload }: RecordedCall): { readonly said: Said; readonly by?: string } {
  const { tool } = payload as { readonly tool?: { readonly output?: unknown } };
  if (tool?.output === undefined) return { said: "pass" };
  const result = bus.transform(RESULT, tool.output, payload as object);
  if (result instanceof Promise) throw new TypeError(`A rule for "${RESULT}" did not answer at once.`);
  const by = result.trail.findLast(({ action }) => action === "replace")?.actor.name;
  return by === undefined && !result.isWithheld ? { said: "pass" } : { said: "rewrite", ...(by !== undefined && { by }) };
}

interface Doubts {
  /** The rules that would act on this call if an earlier one, of which the record hides something, had matched. */
  about(call: RecordedCall, matched: ReadonlySet<string>): readonly string[];
  /** These rules might have matched the call. */
  note(call: RecordedCall, unsure: readonly Rule[]): void;
  close(): void;
}

/** A rule that counts or comes after another is not sure any more, once a call might have counted. */
function createDoubts(rules: readonly Rule[]): Doubts {
  const stateful = rules.filter(hasState);
  const plain = createRuleTrial(stateful.map((rule) => withoutState(rule)));
  /** By rule: the sessions in which it might have matched. */
  const sessions = new Map<string, Set<string>>();
  const isDoubted = ({ name, after, per = "session" }: Rule, session: string): boolean =>
    [name, ...(after === undefined ? [] : [after])].some((source) => {
      const found = sessions.get(source);
      return found !== undefined && (per !== "session" || found.has(session));
    });
  return {
    about(call, matched) {
      if (sessions.size === 0) return [];
      const doubted = stateful.filter((rule) => !matched.has(rule.name) && isDoubted(rule, call.envelope.session?.id ?? ""));
      if (doubted.length === 0) return [];
      const now = new Set(plain.judge(call).matched);
      return doubted.filter(({ name }) => now.has(name)).map(({ name }) => name);
    },
    note({ envelope }, unsure) {
      for (const { name } of unsure) {
        const found = sessions.get(name) ?? new Set<string>();
        sessions.set(name, found.add(envelope.session?.id ?? ""));
      }
    },
    close: plain.close,
  };
}

/** Events that report what was used: any may, and these do. */
function isUsage(event: string): boolean {
  return event.startsWith("llm:") || event.startsWith("turn:") || event.startsWith("session:");
}

function dayOf(at: number): string {
  const date = new Date(at);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}

/** Rules answer at once, so a decision of theirs is never a promise. */
function dispatch(bus: Bus, { envelope: { event }, payload }: RecordedCall): Decision | undefined {
  const kind = findEvent(event)?.spec.kind;
  if (typeof payload !== "object" || payload === null || kind === "transform") return undefined;
  if (kind !== "gate") {
    bus.emitSync(event, payload);
    return undefined;
  }
  const decision = bus.decide(event, payload);
  if (decision instanceof Promise) throw new TypeError(`A rule for "${event}" did not answer at once.`);
  return decision;
}

function saidBy({ verdict, modified }: Decision): Said {
  if (verdict === "deny") return "block";
  if (verdict === "ask") return "ask";
  if (modified) return "rewrite";
  return verdict;
}

/** Most calls are of a few tools, so the rules for each are found once. */
function createLookers(rules: readonly Rule[]): (call: RecordedCall) => readonly Rule[] {
  const compiled = rules.map((rule) => ({ rule, covers: coveredBy(rule), isFor: compileToolScope(rule, ruleRegex) }));
  const known = new Map<string, readonly Rule[]>();
  return ({ envelope: { event }, payload }) => {
    const { name = "", runtimeName } =
      (payload as { readonly tool?: { readonly name?: string; readonly runtimeName?: string } } | null)?.tool ?? {};
    const key = JSON.stringify([event, name, runtimeName]);
    let found = known.get(key);
    if (found === undefined) {
      found = compiled.filter(({ covers, isFor }) => covers(event) && isFor({ name, runtimeName })).map(({ rule }) => rule);
      if (known.size < MAX_KNOWN) known.set(key, found);
    }
    return found;
  };
}

const MAX_KNOWN = 10_000;

function coveredBy({ events }: Rule): (event: string) => boolean {
  const filters = events.map((event) => (event.includes("*") ? compileEventFilter(event) : sameEvent(event)));
  return (event) => filters.some((covers) => covers(event) || (event === RECORDED && covers(RESULT)));
}

function sameEvent(given: string): (event: string) => boolean {
  const name = findEvent(given)?.name ?? given;
  return (event) => event === name;
}

/** Whether the rule reads something that the record hides. */
function readsHidden(rule: Rule, { hidden }: RecordedCall): boolean {
  return hidden.some((path) => readPathsOf(rule).some((read) => overlap(read, path)));
}

const readPaths = new WeakMap<Rule, readonly KeyPath[]>();

function readPathsOf(rule: Rule): readonly KeyPath[] {
  let paths = readPaths.get(rule);
  if (paths === undefined) {
    const { command, path, host, secret, when, find } = rule;
    const isAboutInput = command !== undefined || path !== undefined || host !== undefined;
    // Facts, paths and hosts come from the tool's input and the folder. A secret may stand anywhere, and CEL may read anything.
    const others: KeyPath[] = [
      ...(secret !== undefined || when !== undefined ? [[]] : isAboutInput ? [["tool", "input"], ["cwd"]] : []),
      ...(find === undefined ? [] : [["tool", "output"]]),
    ];
    paths = [...pathsIn(rule).map(({ path }) => realPath(path.split("."))), ...others];
    readPaths.set(rule, paths);
  }
  return paths;
}

/** `tool.args` and `result` are other names. */
function realPath(path: KeyPath): KeyPath {
  if (path[0] === "tool" && path[1] === "args") return ["tool", "input", ...path.slice(2)];
  return path[0] === "result" ? ["tool", "output"] : path;
}

/** One of them is the other, or stands below it. */
function overlap(a: KeyPath, b: KeyPath): boolean {
  const shorter = Math.min(a.length, b.length);
  for (let index = 0; index < shorter; index++) if (a[index] !== b[index]) return false;
  return true;
}
