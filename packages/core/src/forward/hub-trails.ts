import { type DecisionStep, type DecisionSummary, MAX_TRAIL } from "../catalog/envelope.js";
import type { GuardWords } from "./line-protocol.js";

/** A dispatch that never ends must not fill the memory. */
const MAX_OPEN = 10_000;
const MAX_STEPS = 64;
const MAX_NAME = 200;
const MAX_REASON = 500;

/** One question to the hub, in the name of a handler on the bus: what the hub's guards did, once it has answered. */
export interface HubQuestion {
  readonly handler: string;
  steps: readonly DecisionStep[];
  /** The words in which the handler passes on what the hub's guards said, and the one that counts. */
  words?: string | undefined;
  guard?: GuardWords | undefined;
}

/**
 * What the hub's guards did about an event, kept until its dispatch is over. By the event's id: who asks takes its signal, so those after
 * it have an event of their own.
 */
export class HubTrails {
  readonly #open = new Map<string, HubQuestion[]>();

  /** Also for a question that gets no answer: its step stands in the trail, too. */
  begin(event: string, handler: string): HubQuestion {
    const question: HubQuestion = { handler, steps: [] };
    const known = this.#open.get(event);
    if (known !== undefined) known.push(question);
    else {
      const [oldest] = this.#open.keys();
      if (this.#open.size >= MAX_OPEN && oldest !== undefined) this.#open.delete(oldest);
      this.#open.set(event, [question]);
    }
    return question;
  }

  /** The questions about an event, in the order they were asked. */
  take(event: { readonly id: string }): readonly HubQuestion[] {
    if (this.#open.size === 0) return [];
    const { id } = event;
    const questions = this.#open.get(id) ?? [];
    this.#open.delete(id);
    return questions;
  }
}

/** What came of a gate; where the hub's word decided it, by the guard that said it, and in its own words. */
export function asHubSaid(summary: DecisionSummary, questions: readonly HubQuestion[]): DecisionSummary {
  const { by: handler, reason: words, ...rest } = summary;
  // By its words as well: a person, or a handler with an owner, may have the same name.
  const isMeant = (question: HubQuestion) => question.handler === handler && words !== undefined && question.words === words;
  const guard = questions.findLast(isMeant)?.guard;
  return guard === undefined ? summary : { ...rest, ...guard };
}

/** A trail in which the hub's steps stand behind the step that asked it. */
export function withHubSteps(trail: readonly DecisionStep[], questions: readonly HubQuestion[]): readonly DecisionStep[] {
  let next = 0;
  const whole = trail.flatMap((step) => {
    const question = questions[next];
    if (question === undefined || step.handler !== question.handler || step.owner !== undefined) return [step];
    next++;
    return [step, ...question.steps];
  });
  return whole.slice(0, MAX_TRAIL);
}

/** The steps in the hub's answer. They are only shown, so what is none is left out. */
export function readHubSteps(trail: unknown): readonly DecisionStep[] {
  return Array.isArray(trail) ? trail.slice(0, MAX_STEPS).flatMap(readStep) : [];
}

function readStep(given: unknown): DecisionStep[] {
  const { handler, owner, stage, round, action, reason, failure, durationMs } = (given ?? {}) as Unchecked;
  if (!isText(handler) || !isText(stage) || !isText(action) || !Number.isSafeInteger(round) || Number(round) < 0) return [];
  return [
    {
      handler: handler.slice(0, MAX_NAME),
      ...(isText(owner) && { owner: owner.slice(0, MAX_NAME) }),
      stage: stage.slice(0, MAX_NAME),
      round: Number(round),
      action: action.slice(0, MAX_NAME),
      ...(isText(reason) && { reason: reason.slice(0, MAX_REASON) }),
      ...(isText(failure) && { failure: failure.slice(0, MAX_NAME) }),
      ...(typeof durationMs === "number" && durationMs >= 0 && { durationMs }),
      at: "hub",
    },
  ];
}

type Unchecked = { readonly [Field in keyof DecisionStep]?: unknown };

function isText(value: unknown): value is string {
  return typeof value === "string";
}
