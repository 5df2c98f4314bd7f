import { summarizePayload } from "@hookline/core/internal";
import type { Rule } from "../../rules/rule.js";
import type { RuleSuggestion, SuggestionsAnswer } from "../protocol.js";
import { openDatabase } from "../store/open-database.js";
import { type Candidate, canBeAnswered, findCandidates, readAnswered } from "./approved-calls.js";
import { bodiesIn, startOf } from "./backtest.js";
import { type RecordedCall, readRecordedCall } from "./recorded-call.js";
import { createRuleTrial, type RuleTrial } from "./rule-trial.js";

export interface SuggestOptions {
  /** The file of the store. It is only read. */
  readonly store: string;
  /** The rules in force. */
  readonly rules: readonly Rule[];
  /** Rules whose questions are always asked. */
  readonly protectedNames: readonly string[];
  /** Milliseconds since 1970. */
  readonly since: number;
  /** How often a call must have been approved. */
  readonly minimum: number;
  /** No more calls than this, the newest, are tried on each suggestion. */
  readonly maxEvents?: number;
}

const MAX_SUGGESTIONS = 10;
const MAX_EXAMPLES = 8;
const MAX_ABOUT = 300;

/** What touches secrets, agents' settings or Hookline itself is always asked about. */
const SENSITIVE = ["@secrets", "@agents", "@hookline"];
const sensitive: readonly Rule[] = [
  { name: "path", events: ["tool:before"], do: "block", path: SENSITIVE },
  {
    name: "command",
    events: ["tool:before"],
    do: "block",
    command: ["reads", "loads", "writes", "deletes", "changes"].map((fact) => ({ [fact]: SENSITIVE })),
  },
];

/** Rules that would answer what people have approved again and again, each with the recorded calls that it would let through. */
export function suggestRules(options: SuggestOptions): SuggestionsAnswer {
  const { rules, since, minimum, maxEvents } = options;
  const database = openDatabase(options.store, { readOnly: true });
  const guard = createRuleTrial(sensitive);
  const inForce = createRuleTrial(rules);
  const tried: Tried[] = [];
  try {
    const answerable = rules.filter((rule) => canBeAnswered(rule, new Set(options.protectedNames)));
    const candidates = findCandidates(readAnswered(database, answerable, since), minimum)
      .filter(({ approved }) => approved.every((question) => isPlain(guard, question)))
      // Another rule may answer it already, or have begun to ask or to block.
      .filter((candidate) => isAsked(inForce, candidate))
      .sort((a, b) => b.approved.length - a.approved.length)
      .slice(0, MAX_SUGGESTIONS);
    for (const candidate of candidates) tried.push(newTried(candidate));
    const asking = new Set(rules.filter(({ do: action }) => action === "ask").map(({ name }) => name));
    // With a second rule that asks, or one that blocks, the answer changes nothing.
    const isAskedOnce = (call: RecordedCall): boolean => {
      const { said, matched } = inForce.judge(call);
      return said === "ask" && matched.filter((name) => asking.has(name)).length === 1;
    };
    const calls = tried.length === 0 ? 0 : tryAll(database, tried, { since, maxEvents, isAskedOnce });
    return { calls, suggestions: tried.filter(({ denied }) => denied === 0).map(suggestionOf) };
  } finally {
    for (const trial of [guard, inForce, ...tried.map((one) => one.trial)]) trial.close();
    database.close();
  }
}

/** A candidate with the rule that asks, and what they say together. */
interface Tried {
  readonly candidate: Candidate;
  readonly trial: RuleTrial;
  approved: number;
  denied: number;
  others: number;
  readonly examples: Map<string, { readonly about: string; readonly id: string; readonly at: number; was: Was; times: number }>;
}

/** What came of a recorded call: a person approved it, a person was asked and gave no answer, or no question was put. */
type Was = RuleSuggestion["examples"][number]["was"];

function newTried(candidate: Candidate): Tried {
  const trial = createRuleTrial([candidate.asking, candidate.rule]);
  return { candidate, trial, approved: 0, denied: 0, others: 0, examples: new Map() };
}

function callOf({ event, at, payload }: Candidate["approved"][number]): RecordedCall {
  const envelope = {
    ...({ v: 2, id: "", seq: 0, event, hops: [], payload } as const),
    at: new Date(at).toISOString(),
    source: { app: "", host: "", pid: 0, instance: "" },
  };
  return { envelope, payload, tool: payload.tool.name, hidden: [] };
}

function isPlain(guard: RuleTrial, question: Candidate["approved"][number]): boolean {
  return guard.judge(callOf(question)).matched.length === 0;
}

function isAsked(inForce: RuleTrial, { approved, asking }: Candidate): boolean {
  const newest = approved.at(-1);
  if (newest === undefined) return false;
  const { said, by } = inForce.judge(callOf(newest));
  return said === "ask" && by === asking.name;
}

function tryAll(
  database: Parameters<typeof bodiesIn>[0],
  tried: readonly Tried[],
  options: {
    readonly since: number;
    readonly maxEvents: number | undefined;
    readonly isAskedOnce: (call: RecordedCall) => boolean;
  },
): number {
  const { since, maxEvents, isAskedOnce } = options;
  const events = [...new Set(tried.flatMap(({ candidate }) => candidate.rule.events))];
  const range = { since: startOf(database, { events, since, maxEvents }), until: Number.MAX_SAFE_INTEGER };
  let calls = 0;
  for (const body of bodiesIn(database, events, range)) {
    const call = readRecordedCall(body);
    if (call === undefined) continue;
    calls++;
    if (isAskedOnce(call)) for (const one of tried) if (one.trial.judge(call).by === one.candidate.rule.name) note(one, call);
  }
  return calls;
}

function note(one: Tried, { envelope, payload }: RecordedCall): void {
  const was = wasOf(envelope.decision);
  if (was === "denied") one.denied++;
  else if (was === "approved") one.approved++;
  else one.others++;
  const about = summarizePayload(payload).slice(0, MAX_ABOUT);
  const key = `${was} ${about}`;
  const known = one.examples.get(key);
  if (known !== undefined) known.times++;
  else if (was !== "denied" && one.examples.size < MAX_DIFFERENT)
    one.examples.set(key, { about, id: envelope.id, at: Date.parse(envelope.at), was, times: 1 });
}

const MAX_DIFFERENT = 500;

function wasOf(decision: RecordedCall["envelope"]["decision"]): Was | "denied" {
  if (decision === undefined) return "not judged";
  const answer = decision.trail?.findLast(({ stage }) => stage === "approval");
  if (answer?.actor.kind === "person" && answer.action === "allow") return "approved";
  // A cause says that something failed, or that no answer came in time.
  if (decision.verdict === "deny") return decision.cause === undefined ? "denied" : "not answered";
  return answer === undefined ? "not asked" : "not answered";
}

function suggestionOf({ candidate, approved, others, examples }: Tried): RuleSuggestion {
  const { rule, asking, approved: questions } = candidate;
  const times = questions.map(({ at }) => at);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const all = [...examples.values()];
  // What was not approved comes first: it is what a person must look at.
  const shown = [...all.filter(({ was }) => was !== "approved"), ...all.filter(({ was }) => was === "approved")].slice(0, MAX_EXAMPLES);
  return {
    name: rule.name,
    answers: asking.name,
    approvals: questions.length,
    people: [...new Set(questions.map(({ by }) => by))].slice(0, 10),
    first,
    last,
    toml: tableOf(rule, questions.length, { first, last }),
    answered: { approved, others },
    examples: shown,
  };
}

/** The rule as it stands in `hookline.toml`. */
function tableOf(rule: Rule, approvals: number, { first, last }: { readonly first: number; readonly last: number }): string {
  const { name, events, answers, tool, fields, match } = rule;
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
  const keys = {
    name,
    description: `Made of ${approvals} approvals from ${day(first)} to ${day(last)}.`,
    ...(events[0] !== "tool:before" && { event: events[0] }),
    ...{ tool, fields, match, answers },
    do: "allow",
  };
  return `[[rule]]\n${Object.entries(keys)
    .map(
      ([key, value]) =>
        `${key} = ${Array.isArray(value) ? `[${value.map((one) => JSON.stringify(one)).join(", ")}]` : JSON.stringify(value)}\n`,
    )
    .join("")}`;
}
