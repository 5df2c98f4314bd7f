import type { Decision, Stage, TrailAction, TrailStep } from "../bus/types.js";
import { type Actor, readActor } from "../catalog/actor.js";
import { type DecisionStep, type DecisionSummary, MAX_TRAIL } from "../catalog/envelope.js";
import { upgradeSteps } from "../catalog/envelope-v1.js";
import type { FailureKind } from "../catalog/errors.js";
import { inertText } from "../text/inert-text.js";

/** Steps that the hub sends back with a verdict. More of a trail is hardly read, and it is stored with every event. */
const MAX_SENT_STEPS = 64;
const MAX_NAME = 200;
const MAX_REASON = 500;

/** `asked`: what it was about at first; left out where nothing was rewritten. `at`: where it was decided, if not in the process of the event. */
export function summaryOf(decision: Decision, asked?: unknown, at?: string): DecisionSummary {
  const { verdict, reason, by, actor, cause, modified, endLoop, trail } = decision;
  return {
    verdict,
    ...(reason !== undefined && { reason }),
    ...(by !== undefined && { by }),
    ...(actor !== undefined && { actor: actorAt(actor, at) }),
    ...(cause !== undefined && { cause: cause.code }),
    modified,
    endLoop,
    ...(trail.length > 0 && { trail: stepsOf(trail, at) }),
    ...(modified && asked !== undefined && { asked }),
  };
}

/** A trail as it is recorded. */
export function stepsOf(trail: readonly TrailStep[], at?: string): readonly DecisionStep[] {
  return trail.slice(0, MAX_TRAIL).map((step) => stepOf(step, at));
}

/** Of very many steps, those of actors that had something to do with it. */
export function shortenedSteps(trail: readonly DecisionStep[]): readonly DecisionStep[] {
  return trail.length <= MAX_SENT_STEPS ? trail : trail.filter(({ action }) => action !== "no-match").slice(0, MAX_SENT_STEPS);
}

/** The steps in a frame of the hub's. They are only shown, so what is not a step is left out. */
export function readSteps(trail: unknown): readonly TrailStep[] {
  if (!Array.isArray(trail)) return [];
  const steps = trail.slice(0, MAX_SENT_STEPS).filter((step) => typeof step === "object" && step !== null);
  return upgradeSteps(steps as readonly DecisionStep[]).flatMap(readStep);
}

/** The actor at the hub; nothing for what is not an actor. */
export function readHubActor(given: unknown): Actor | undefined {
  const actor = readActor(given);
  if (actor === undefined) return undefined;
  const { kind, name, owner } = actor;
  return { kind, name: inertText(name), ...(owner !== undefined && { owner: inertText(owner) }), at: "hub" };
}

function actorAt(actor: Actor, at: string | undefined): Actor {
  return at === undefined || actor.at !== undefined ? actor : { ...actor, at };
}

function stepOf({ actor, stage, round, action, reason, failure, durationMs }: TrailStep, at: string | undefined): DecisionStep {
  return {
    actor: actorAt(actor, at),
    stage,
    round,
    action,
    ...(reason !== undefined && { reason: reason.slice(0, MAX_REASON) }),
    ...(failure !== undefined && { failure }),
    ...(durationMs !== undefined && { durationMs }),
  };
}

function readStep({ actor, stage, round, action, reason, failure, durationMs }: DecisionStep): TrailStep[] {
  const known = readHubActor(actor);
  const isSound = typeof stage === "string" && typeof action === "string" && Number.isSafeInteger(round) && round >= 0;
  if (known === undefined || !isSound) return [];
  return [
    {
      actor: known,
      stage: stage.slice(0, MAX_NAME) as Stage,
      round,
      action: action.slice(0, MAX_NAME) as TrailAction,
      ...(typeof reason === "string" && { reason: reason.slice(0, MAX_REASON) }),
      ...(typeof failure === "string" && { failure: failure.slice(0, MAX_NAME) as FailureKind }),
      ...(typeof durationMs === "number" && durationMs >= 0 && { durationMs }),
    },
  ];
}
