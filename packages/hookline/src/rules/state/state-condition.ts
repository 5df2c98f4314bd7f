import { createHash } from "node:crypto";
import { findEvent, HookError, type HookEvent } from "@hookline/core";
import { countText, didYouMean } from "@hookline/core/internal/text";
import type { Rule } from "../rule.js";
import type { RuleFault } from "../rule-faults.js";
import type { RuleState, Spent } from "./rule-state.js";
import { noteSecrets, secretFrom } from "./seen-secrets.js";

/** What the events of a rule are counted by. */
export const countedPer = ["session", "agent", "project", "day"] as const;
export const MAX_COUNT = 1_000;

/** The keys of a rule that depend on what happened before. */
type StateKeys = Pick<Rule, "count" | "within" | "per" | "after" | "repeats" | "budget" | "from">;

/** Why a rule acts now, as a sentence; undefined if it does not. */
type Condition = (event: HookEvent) => string | undefined;

/** Where the state of a rule is, and under which name. */
export interface StateOf {
  readonly state: RuleState;
  /** Its name; with the owner in front, if it is not a rule of `hookline.toml`. */
  readonly id: string;
  /** The same for the rule of `after`. */
  readonly afterId?: string;
}

export function hasState({ count, after, repeats, budget, from }: StateKeys): boolean {
  return from !== undefined || count !== undefined || after !== undefined || repeats !== undefined || budget !== undefined;
}

/** The rule as if everything had happened that it waits for: its conditions on one call remain. */
export function withoutState<R extends Rule>(rule: R): R {
  const { count: _, within: __, per: ___, after: ____, repeats: _____, budget: ______, from: _______, ...rest } = rule;
  return rest as R;
}

export function findStateFaults(rule: StateKeys & Pick<Rule, "name" | "events" | "secret">): RuleFault[] {
  const { count, within, per, after, repeats, budget, from } = rule;
  const faults: RuleFault[] = [];
  const fault = (key: keyof StateKeys, message: string): void => void faults.push({ key, message });
  if (within !== undefined && count === undefined && after === undefined && repeats === undefined)
    fault("within", 'says how far back "count", "after" or "repeats" looks. Add one of them, or remove "within"');
  if (per !== undefined && count === undefined && budget === undefined)
    fault("per", 'says what "count" or "budget" is counted by. Add one of them, or remove "per"');
  if (budget !== undefined && per !== undefined && per !== "session" && per !== "day")
    fault("per", `cannot be "${per}" with "budget": usage is known by session and by day`);
  if (budget !== undefined && Object.keys(budget).length === 0) fault("budget", "must have tokens, costUsd or both");
  if (after === rule.name) fault("after", "names the rule itself, which could then never begin to match");
  if (from !== undefined && rule.secret === undefined) fault("from", 'needs "secret", the shapes that are looked for');
  if (from !== undefined && rule.events.some((event) => findEvent(event)?.name !== "tool:before"))
    fault("from", 'works on the event "tool:before" only: it stops a call that would give a secret to another server');
  if (repeats !== undefined && rule.events.some((event) => findEvent(event)?.name !== "tool:before"))
    fault("repeats", 'works on the event "tool:before" only: it stops a call that keeps giving the same result');
  return faults;
}

/** A rule and the one that it comes after. */
type Following = Pick<Rule, "name" | "after">;

/** Rules whose `after` names no rule, or whose `after` lead back to themselves. */
export function findAfterFaults<R extends Following>(
  rules: readonly R[],
  others: readonly Following[] = [],
): { rule: R; message: string }[] {
  const known = new Map<string, string | undefined>([...others, ...rules].map(({ name, after }) => [name, after]));
  return rules.flatMap((rule) => {
    const { name, after } = rule;
    if (after === undefined || after === name) return [];
    if (!known.has(after)) return [{ rule, message: `names no rule that can be used: "${after}".${didYouMean(after, [...known.keys()])}` }];
    const cycle = cycleFrom(name, known);
    return cycle === undefined
      ? []
      : [{ rule, message: `leads in a circle, so none of these rules could match: ${cycle.join(" after ")}.` }];
  });
}

function cycleFrom(name: string, known: ReadonlyMap<string, string | undefined>): readonly string[] | undefined {
  const path = [name];
  for (let next = known.get(name); next !== undefined && path.length <= known.size; next = known.get(next)) {
    path.push(next);
    if (next === name) return path;
  }
  return undefined;
}

/** All conditions of a rule on what happened before. A call counts once, however often the rule is asked about it. */
export function compileCondition(rule: Rule, { state, id, afterId }: StateOf): Condition {
  const { count, within, per = "session", repeats, budget } = rule;
  const inTime = within === undefined ? "" : ` in ${durationText(within)}`;
  const parts: Condition[] = [];
  if (rule.after !== undefined && afterId !== undefined)
    parts.push((event) => {
      const series = matchSeries(afterId, sessionOf(event, state));
      // The same call can match both rules; only an earlier one counts.
      const earlier = state.timesOf(series, within) - (state.wasCounted(series, idsOf(event)) ? 1 : 0);
      return earlier > 0 ? `The rule "${rule.after}" matched earlier in this session.` : undefined;
    });
  if (repeats !== undefined)
    parts.push((event) => {
      const call = callDigest(sessionOf(event, state), event.payload);
      const times = call === undefined ? 0 : state.repeatsOf(call, within);
      return times >= repeats ? `This call had the same result ${countText(times, "time")}${inTime}.` : undefined;
    });
  if (rule.from !== undefined)
    parts.push((event) => {
      const server = secretFrom(rule, event, { state, id, session: sessionOf(event, state) });
      return server === undefined ? undefined : `It holds a secret that a result of "${server}" has shown in this session.`;
    });
  if (budget !== undefined)
    parts.push((event) => {
      const session = per === "day" ? undefined : sessionOf(event, state);
      for (const [of, limit] of limitsIn(budget)) {
        const spent = state.spentOf(of, session);
        if (spent.known === undefined && rule.unknown === "match")
          return `The budget is ${amountText(of, limit)} per ${per}, and what was spent is unknown.`;
        if (spent.known !== undefined && spent.known >= limit)
          return `The budget of ${amountText(of, limit)} per ${per} is used up: ${spentText(of, spent)}.`;
      }
      return undefined;
    });
  if (count !== undefined)
    parts.push((event) => {
      const series = `${id}\n${per}\n${keyOf(per, event, state)}`;
      state.match(series, idsOf(event), count);
      const times = state.timesOf(series, within);
      return times >= count ? `It matched ${count === 1 ? "once" : countText(count, "time")}${inTime} per ${per}.` : undefined;
    });
  return (event) => {
    if (state.fault !== undefined) throw state.fault;
    const reasons: string[] = [];
    // `count` comes last, because it counts what matches all the others.
    for (const part of parts) {
      const reason = part(event);
      if (reason === undefined) return undefined;
      reasons.push(reason);
    }
    return reasons.join(" ");
  };
}

/** Notes that a rule matched, for the rules that come `after` it. */
export function noteMatch({ state, id }: StateOf, event: HookEvent): void {
  if (state.isFollowed(id)) state.match(matchSeries(id, sessionOf(event, state)), idsOf(event), MATCHES_KEPT);
}

/** Notes what a result shows, for a rule about secrets of another server. */
export function noteResult(rule: Rule, { state, id }: StateOf, event: HookEvent): void {
  if (state.fault !== undefined) throw state.fault;
  noteSecrets(rule, event, { state, id, session: sessionOf(event, state) });
}

/** The match of an earlier call, and one of the present call. */
const MATCHES_KEPT = 2;

/** Notes what an event tells the rules that depend on what happened: where a session comes from, results and usage. */
export function noteEvent(state: RuleState, event: string, payload: unknown, needs: StateNeeds): void {
  const { session, usage, imported } = (payload ?? {}) as {
    readonly session?: { readonly [key: string]: unknown };
    readonly usage?: unknown;
    readonly imported?: unknown;
  };
  // It happened before the rules were there.
  if (imported === true) return;
  if (typeof session?.id === "string" && typeof session.parentId === "string") state.parent(session.id, session.parentId);
  const root = state.rootOf(typeof session?.id === "string" ? session.id : "");
  if (needs.results && event === "tool:after" && didRun(payload)) {
    const call = callDigest(root, payload);
    // A result that cannot be told apart from others breaks the row.
    if (call !== undefined) state.result(call, resultDigest(payload) ?? `unknown ${state.clock.now()}`);
  }
  if (needs.usage && (event === "llm:after" || (typeof usage === "object" && usage !== null)))
    state.usage(root, event.startsWith("llm:") ? "llm" : "turn", amountsIn(usage));
}

/** A call that was stopped has no result, and the loop that it is part of goes on. */
function didRun(payload: unknown): boolean {
  const { status } = payload as { readonly status?: unknown };
  return status !== "blocked" && status !== "cancelled";
}

/** What must be noted, because a rule asks about it. */
export interface StateNeeds {
  /** Where subagents come from. */
  readonly parents: boolean;
  readonly results: boolean;
  readonly usage: boolean;
}

export function needsOf(rules: readonly StateKeys[]): StateNeeds {
  return {
    parents: rules.some(hasState),
    results: rules.some(({ repeats }) => repeats !== undefined),
    usage: rules.some(({ budget }) => budget !== undefined),
  };
}

/** What a rule remembers, for people. */
export interface Remembered {
  /** `20 times in 5m per session` */
  readonly condition: string;
  /** What was counted, the latest first. */
  readonly rows: readonly { readonly of: string; readonly value: string; readonly isReached: boolean }[];
  /** How many rows are left out. */
  readonly more: number;
  /** Why it cannot be relied on. */
  readonly problem?: string;
}

const MAX_ROWS = 5;

export function rememberedBy(rule: Rule, { state, id }: StateOf): Remembered {
  const { count = 0, within, per = "session", repeats, budget } = rule;
  const rows: Remembered["rows"][number][] = [];
  if (rule.count !== undefined)
    for (const series of state.seriesOf(id)) {
      const [, by, key = ""] = series.split("\n");
      const times = by === per ? state.timesOf(series, within) : 0;
      if (times > 0) rows.push({ of: keyText(per, key), value: `${times} of ${count}`, isReached: times >= count });
    }
  if (repeats !== undefined) {
    const calls = state.callsWithRepeats(repeats, within);
    if (calls > 0) rows.push({ of: "repeated calls", value: String(calls), isReached: true });
  }
  if (budget !== undefined)
    for (const session of per === "day" ? [undefined] : state.sessionsWithUsage())
      for (const [of, limit] of limitsIn(budget)) {
        const spent = state.spentOf(of, session);
        const value = `${spentText(of, spent)} of ${amountText(of, limit)}`;
        rows.push({ of: session === undefined ? "today" : keyText("session", session), value, isReached: (spent.known ?? 0) >= limit });
      }
  const problem =
    state.fault?.message ??
    (state.forgotten > 0 ? `${countText(state.forgotten, "entry was", "entries were")} forgotten for lack of room.` : undefined);
  return {
    condition: conditionText(rule),
    rows: rows.slice(0, MAX_ROWS),
    more: Math.max(0, rows.length - MAX_ROWS),
    ...(problem !== undefined && { problem }),
  };
}

/** `20 times in 5m per session, after read-secret` */
export function conditionText({ count, within, per = "session", after, repeats, budget, from }: StateKeys): string {
  const inTime = within === undefined ? "" : ` in ${durationText(within)}`;
  return [
    ...(count === undefined ? [] : [`${countText(count, "time")}${inTime} per ${per}`]),
    ...(after === undefined ? [] : [`after ${after}${count === undefined ? inTime : ""}`]),
    ...(repeats === undefined
      ? []
      : [`same result ${countText(repeats, "time")}${count === undefined && after === undefined ? inTime : ""}`]),
    ...(from === undefined ? [] : ["a secret of another server"]),
    ...(budget === undefined ? [] : limitsIn(budget).map(([of, limit]) => `budget ${amountText(of, limit)} per ${per}`)),
  ].join(", ");
}

/** Whether the new keys let through no more than the old ones: each rule acts at least as often as before. */
export function isStateTighter(before: StateKeys, after: StateKeys): boolean {
  const atMost = (old: number | undefined, now: number | undefined): boolean => now === undefined || (old !== undefined && now <= old);
  const longer = (after.within ?? Number.POSITIVE_INFINITY) >= (before.within ?? Number.POSITIVE_INFINITY);
  const samePer = (after.count === undefined && after.budget === undefined) || (before.per ?? "session") === (after.per ?? "session");
  // A budget that is gone no longer limits when the rule acts; one of two limits that is gone does.
  const limits = ["tokens", "costUsd"] as const;
  const budget =
    after.budget === undefined ||
    (before.budget !== undefined &&
      limits.every((of) => before.budget?.[of] === undefined || (after.budget?.[of] ?? Number.POSITIVE_INFINITY) <= before.budget[of]));
  return (
    longer &&
    samePer &&
    budget &&
    atMost(before.count, after.count) &&
    atMost(before.repeats, after.repeats) &&
    (after.from === undefined || after.from === before.from) &&
    (after.after === undefined || after.after === before.after)
  );
}

/** The error of every rule that depends on a state that cannot be used. */
export function stateFault(message: string): HookError {
  return new HookError("HL_RULE_STATE", message, { fix: { run: "hookline rules reset" }, failure: "disabled" });
}

function matchSeries(id: string, session: string): string {
  return `${id}\nmatched\n${session}`;
}

/** Events without a session share one, so that leaving it out hides nothing. */
function sessionOf({ session }: Pick<HookEvent, "session">, state: RuleState): string {
  if (session === undefined) return "";
  if (typeof session.parentId === "string") state.parent(session.id, session.parentId);
  return state.rootOf(session.id);
}

function keyOf(per: (typeof countedPer)[number], event: HookEvent, state: RuleState): string {
  const { agent, cwd } = event.payload;
  if (per === "day") return state.clock.day();
  if (per === "session") return sessionOf(event, state);
  if (per === "project") return typeof cwd === "string" ? state.projectOf(cwd) : "";
  // A subagent has a name of its own; the platform is the program.
  return [agent?.platform, agent?.name].find((name) => typeof name === "string") ?? "";
}

function keyText(per: string, key: string): string {
  return key === "" ? `no ${per}` : per === "day" ? key : `${per} ${key}`;
}

/**
 * What a call is known by: one is one, also when a rewrite is checked again or a process asks about it twice. Its input belongs to its identity: an agent that gives every call the
 * same id must not get away with one count.
 */
function idsOf({ id, name, payload }: HookEvent): readonly string[] {
  const { tool } = payload as { readonly tool?: { readonly callId?: unknown; readonly input?: unknown } };
  const known = typeof tool?.callId === "string" && tool.callId !== "" ? digest([name, tool.callId, tool.input ?? null]) : undefined;
  return known === undefined ? [id] : [id, known];
}

function callDigest(session: string, payload: unknown): string | undefined {
  const { tool } = (payload ?? {}) as { readonly tool?: { readonly name?: unknown; readonly input?: unknown } };
  return typeof tool?.name === "string" ? digest([session, tool.name.toLowerCase(), tool.input ?? null]) : undefined;
}

function resultDigest(payload: unknown): string | undefined {
  const { tool, status, error } = payload as {
    readonly tool: { readonly output?: unknown; readonly isError?: unknown; readonly exitCode?: unknown };
    readonly status?: unknown;
    readonly error?: unknown;
  };
  return digest([status ?? null, tool.output ?? null, tool.isError ?? null, tool.exitCode ?? null, error ?? null]);
}

/** Undefined for what is not data. */
function digest(value: readonly unknown[]): string | undefined {
  try {
    return createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 22);
  } catch {
    return undefined;
  }
}

function amountsIn(usage: unknown): readonly [number | null, number | null] {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd } = (usage ?? {}) as { readonly [field: string]: unknown };
  const known = [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens].filter(isAmount);
  return [known.length === 0 ? null : known.reduce((sum, tokens) => sum + tokens, 0), isAmount(costUsd) ? costUsd : null];
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function limitsIn({ tokens, costUsd }: NonNullable<Rule["budget"]>): (readonly ["tokens" | "costUsd", number])[] {
  return [
    ...(tokens === undefined ? [] : [["tokens", tokens] as const]),
    ...(costUsd === undefined ? [] : [["costUsd", costUsd] as const]),
  ];
}

function amountText(of: "tokens" | "costUsd", amount: number): string {
  return of === "tokens" ? `${amount} tokens` : `$${Number(amount.toFixed(4))}`;
}

/** `1200 tokens and 3 requests of unknown size` */
function spentText(of: "tokens" | "costUsd", { known, unknown }: Spent): string {
  if (known === undefined) return "unknown";
  const more =
    unknown === 0 ? "" : ` and ${unknown} ${unknown === 1 ? "request" : "requests"} with unknown ${of === "tokens" ? "tokens" : "cost"}`;
  return `${amountText(of, known)}${more}`;
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const;

/** `5m` */
export function durationText(ms: number): string {
  const [unit, size] = UNITS.find(([, length]) => ms % length === 0) ?? ["ms", 1];
  return `${ms / size}${unit}`;
}
