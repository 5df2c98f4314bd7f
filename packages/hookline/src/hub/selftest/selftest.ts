import type { GuardSet } from "../policies/guard-set.js";
import type { SelftestAnswer, SelftestGuard, SelftestResult, SelftestState } from "../protocol.js";
import type { Canary } from "./canary.js";
import { judge } from "./judge.js";
import { openPractice } from "./practice.js";
import type { Trainee } from "./trainee.js";

/** A guard may have longer, or all the time there is; whoever waits for the selftest has not. */
const PATIENCE_MS = 60_000;

export interface SelftestOptions {
  readonly signal?: AbortSignal;
  /** How long a guard may think about a canary, whatever its own limit is. */
  readonly patienceMs?: number;
}

/** Sends every guard what it must deny, one after the other, and says what came of it. Nothing of it is stored, counted or told to observers. */
export async function runSelftest(set: GuardSet, options: SelftestOptions = {}): Promise<SelftestAnswer> {
  const guards: SelftestGuard[] = [];
  for (const trainee of openPractice(set)) guards.push(await tryOut(trainee, options));
  return { ok: guards.every(({ state }) => !isBad(state)), guards };
}

const bad: readonly SelftestState[] = ["let through", "not asked", "failed closed", "broken"];

/** Whether a guard does not do what it is there for. */
function isBad(state: SelftestState): boolean {
  return bad.includes(state);
}

async function tryOut(trainee: Trainee, options: SelftestOptions): Promise<SelftestGuard> {
  const { name, kind, project, canaries, hint } = trainee.guard;
  const results: SelftestResult[] = [];
  for (const canary of canaries) results.push(await send(trainee, canary, options));
  return {
    name,
    kind,
    ...(project !== undefined && { project }),
    state: worstOf(results),
    ...(hint !== undefined && { hint }),
    canaries: results,
  };
}

async function send(trainee: Trainee, canary: Canary, { signal, patienceMs = PATIENCE_MS }: SelftestOptions): Promise<SelftestResult> {
  signal?.throwIfAborted();
  const limit = AbortSignal.timeout(patienceMs);
  const startedAt = performance.now();
  const said = await trainee.send(canary, signal === undefined ? limit : AbortSignal.any([signal, limit]));
  signal?.throwIfAborted();
  const ms = said.call?.durationMs ?? performance.now() - startedAt;
  const judgement = judge(trainee, canary, said);
  // Its stand-in denies this, and everything else.
  const isBroken = trainee.guard.kind === "broken" && judgement.state === "denied";
  return { event: canary.event, sent: canary.sent, ...judgement, ...(isBroken && { state: "broken" }), ms: Number(ms.toFixed(1)) };
}

function worstOf(results: readonly SelftestResult[]): SelftestState {
  const ranks: readonly SelftestState[] = [...bad, "asked", "denied"];
  return ranks.find((rank) => results.some(({ state }) => state === rank)) ?? "no canary";
}
