import type { Senders } from "../../rules/sender.js";
import type { GuardSet } from "../policy/guard-set.js";
import type { SelftestAnswer, SelftestGuard, SelftestResult, SelftestState } from "../protocol.js";
import type { Canary } from "./canary.js";
import { judge } from "./judge.js";
import { openSelftestBus } from "./selftest-bus.js";
import type { TriedGuard } from "./tried-guard.js";

/** A guard may have a longer limit or none; the caller of the selftest cannot wait that long. */
const PATIENCE_MS = 60_000;

export interface SelftestOptions {
  /** The agents that send the canaries. Default: none; the canaries are sent as written. */
  readonly senders?: Senders;
  readonly signal?: AbortSignal;
  /** How long a guard may think about a canary, whatever its own limit is. */
  readonly patienceMs?: number;
}

/** Sends every guard what it must deny, one after the other, and says what came of it. Nothing of it is stored, counted or told to observers. */
export async function runSelftest(set: GuardSet, options: SelftestOptions = {}): Promise<SelftestAnswer> {
  const guards: SelftestGuard[] = [];
  const { senders = { agents: [] } } = options;
  for (const trainee of openSelftestBus(set, senders)) guards.push(await tryOut(trainee, options));
  return { ok: guards.every(({ state }) => !isBad(state)), agents: senders.agents.map(({ id }) => id), guards };
}

const bad: readonly SelftestState[] = ["let through", "not asked", "failed closed", "broken", "no such tool"];

/** Whether a guard does not do what it is there for. */
function isBad(state: SelftestState): boolean {
  return bad.includes(state);
}

async function tryOut(trainee: TriedGuard, options: SelftestOptions): Promise<SelftestGuard> {
  const { name, kind, project, canaries, hint, missing, isUnreachable } = trainee.guard;
  const results: SelftestResult[] = [];
  for (const canary of canaries) results.push(await send(trainee, canary, options));
  return {
    name,
    kind,
    ...(project !== undefined && { project }),
    state: worstOf(results, isUnreachable),
    ...(hint !== undefined && { hint }),
    ...(missing.length > 0 && { missing }),
    canaries: results,
  };
}

async function send(trainee: TriedGuard, canary: Canary, { signal, patienceMs = PATIENCE_MS }: SelftestOptions): Promise<SelftestResult> {
  signal?.throwIfAborted();
  const limit = AbortSignal.timeout(patienceMs);
  const startedAt = performance.now();
  const said = await trainee.send(canary, signal === undefined ? limit : AbortSignal.any([signal, limit]));
  signal?.throwIfAborted();
  const ms = said.call?.durationMs ?? performance.now() - startedAt;
  const judgement = judge(trainee, canary, said);
  // Its stand-in denies this, and everything else.
  const isBroken = trainee.guard.kind === "broken" && judgement.state === "denied";
  const { event, sent, agent } = canary;
  return {
    event,
    sent,
    ...(agent !== undefined && { agent }),
    ...judgement,
    ...(isBroken && { state: "broken" }),
    ms: Number(ms.toFixed(1)),
  };
}

/** A guard that denies what no attached agent can send guards nothing. */
function worstOf(results: readonly SelftestResult[], isUnreachable: boolean): SelftestState {
  const worst = bad.find((rank) => results.some(({ state }) => state === rank));
  if (worst !== undefined || isUnreachable) return worst ?? "no such tool";
  return (["asked", "denied"] as const).find((rank) => results.some(({ state }) => state === rank)) ?? "no canary";
}
