import { findEvent } from "@hookline/core";
import { summarizePayload } from "@hookline/core/internal";
import type { Rule } from "../../rules/rule.js";
import type { BacktestAnswer, BacktestExample, BacktestRule } from "../protocol.js";
import { type RecordedCall, SAID, type Said } from "./recorded-call.js";
import type { Judgement, RuleTrial } from "./rule-trial.js";

const DAY_MS = 86_400_000;
const MAX_ABOUT = 300;
/** Different calls of one kind of change that are told apart; the rest is only counted. */
const MAX_DIFFERENT = 2_000;
const MAX_UNLOOKED = 1_000;

export interface Report {
  add(call: RecordedCall, trial: RuleTrial, was: Pick<Judgement, "said" | "unsure">): void;
  unreadable(): void;
  answer(end: Pick<BacktestAnswer, "isComplete" | "problems" | "untried">): BacktestAnswer;
}

type Counts = { [said in Said]: number };

/** Adds up what a backtest finds. */
export function createReport(rules: readonly Rule[], examples: number): Report {
  const totals = { calls: 0, imported: 0, same: 0, inconclusive: 0, unreadable: 0, byHooks: 0 };
  const [was, now, changes] = [newCounts(), newCounts(), newCounts()];
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  const rows = new Map(rules.map((rule) => [rule.name, newRow(rule)]));
  const kinds = new Map<string, Map<string, BacktestExample & { times: number }>>();
  const unlooked = new Map<string, { readonly event: string; readonly tool: string; calls: number }>();

  function keepExample(kind: string, example: BacktestExample): void {
    const known = kinds.get(kind) ?? new Map<string, BacktestExample & { times: number }>();
    kinds.set(kind, known);
    const key = `${example.tool ?? ""} ${example.about}`;
    const before = known.get(key);
    if (before === undefined && known.size >= MAX_DIFFERENT) return;
    known.set(key, { ...example, times: (before?.times ?? 0) + 1 });
  }

  function noteLookers(call: RecordedCall, trial: RuleTrial): void {
    const { envelope, tool = "" } = call;
    if (findEvent(envelope.event)?.spec.kind !== "gate" || trial.lookersAt(call).length > 0) return;
    const key = `${envelope.event} ${tool}`;
    const row = unlooked.get(key) ?? { event: envelope.event, tool, calls: 0 };
    row.calls++;
    if (unlooked.has(key) || unlooked.size < MAX_UNLOOKED) unlooked.set(key, row);
  }

  return {
    unreadable: () => void totals.unreadable++,
    add(call, trial, before) {
      const { envelope } = call;
      const at = Date.parse(envelope.at);
      [first, last] = [Math.min(first, at), Math.max(last, at)];
      totals.calls++;
      if (isImported(envelope.payload)) totals.imported++;
      if (envelope.decision?.trail?.some(isOfHook) === true) totals.byHooks++;
      noteLookers(call, trial);
      const judged = trial.judge(call);
      for (const name of judged.matched) count(rows.get(name), at, judged);
      for (const name of judged.unsure) {
        const row = rows.get(name);
        if (row !== undefined) row.inconclusive++;
      }
      const example = exampleOf(call, before.said, judged);
      if (judged.unsure.length > 0 || before.unsure.length > 0) {
        totals.inconclusive++;
        return keepExample("inconclusive", { ...example, isInconclusive: true });
      }
      was[before.said]++;
      now[judged.said]++;
      if (before.said === judged.said) totals.same++;
      else {
        changes[judged.said]++;
        keepExample(judged.said, example);
      }
    },
    answer: ({ isComplete, problems, untried }) => ({
      ...totals,
      ...(last > 0 && { first, last }),
      was,
      now,
      changes,
      rules: [...rows.values()].map(({ days, ...row }) => ({ ...row, days: [...days].map(([day, matched]) => ({ day, matched })) })),
      examples: [...kinds.values()].flatMap((kind) =>
        [...kind.values()].sort((a, b) => b.times - a.times || b.at - a.at).slice(0, examples),
      ),
      unlooked: [...unlooked.values()].sort((a, b) => b.calls - a.calls),
      isComplete,
      problems,
      untried,
    }),
  };
}

/** What a hook said of the call. Hooks are not run again. */
function isOfHook({ actor, action }: { readonly actor: { readonly kind: string }; readonly action: string }): boolean {
  return actor.kind === "hook" && action !== "pass" && action !== "no-match";
}

function newCounts(): Counts {
  return Object.fromEntries(SAID.map((said) => [said, 0])) as Counts;
}

type Row = Omit<{ -readonly [key in keyof BacktestRule]: BacktestRule[key] }, "days"> & { readonly days: Map<number, number> };

function newRow({ name, do: action }: Rule): Row {
  return { name, do: action, matched: 0, decided: 0, inconclusive: 0, days: new Map() };
}

function count(row: Row | undefined, at: number, { by }: Judgement): void {
  if (row === undefined) return;
  row.matched++;
  if (by === row.name) row.decided++;
  const day = Math.floor(at / DAY_MS) * DAY_MS;
  row.days.set(day, (row.days.get(day) ?? 0) + 1);
}

function exampleOf({ envelope, payload, tool }: RecordedCall, was: Said, { said, by, reason }: Judgement): BacktestExample {
  const { id, at, event, source, session, decision } = envelope;
  return {
    id,
    at: Date.parse(at),
    event,
    app: source.app,
    ...(session !== undefined && { session: session.id }),
    ...(tool !== undefined && { tool }),
    about: summarizePayload(payload).slice(0, MAX_ABOUT),
    was,
    now: said,
    ...(by !== undefined && { by }),
    ...(reason !== undefined && { reason }),
    ...(decision !== undefined && { verdict: decision.verdict }),
    times: 1,
  };
}

function isImported(payload: unknown): boolean {
  return typeof payload === "object" && payload !== null && Object.hasOwn(payload, "imported");
}
