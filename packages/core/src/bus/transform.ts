import type { Actor } from "../catalog/actor.js";
import { errorText, type HookError } from "../catalog/errors.js";
import { admitGuard } from "./admission.js";
import { type Answer, blank, type Effect } from "./answer.js";
import { answerFaults } from "./answer-faults.js";
import { isMadeOfOutcomes, readAnswer } from "./answers.js";
import { Chain } from "./chain.js";
import { isClosed, isClosedTo } from "./closed-to.js";
import { NO_REMINDERS, NO_TEXTS } from "./decision.js";
import { typeName } from "./describe-error.js";
import { keepEffects } from "./effects.js";
import { BusEvent, checkPayload } from "./event.js";
import { complain, recordFailure } from "./failures.js";
import type { Given } from "./make-whole.js";
import { isPlainShape } from "./plain-shape.js";
import type { Registration } from "./registration.js";
import { type Relayed, relayedBy } from "./relayed.js";
import type { Slot } from "./slot.js";
import { tell } from "./taps.js";
import type { Reminder, TrailStep, TransformResult } from "./types.js";
import { wholeValues } from "./whole-values.js";
import { withheldValue } from "./withheld.js";

/** Passes a value through every handler in turn. A handler that fails is left out and the value so far goes on, or is withheld if the handler is closed. */
export function transform(slot: Slot, value: unknown, context: unknown = {}, depth: number): TransformResult | Promise<TransformResult> {
  checkPayload(slot.name, context);
  if (slot.isIdle) return new Transformed(value, []);
  // Text is seen whole, and most results are nothing else.
  const closed = typeof value === "string" ? undefined : slot.roster.handlers.find((handler) => isClosedTo(handler, context));
  const given = { value, context };
  return closed === undefined ? run(slot, given, depth) : transformWhole(slot, given, depth, closed.parts.actor);
}

/** A closed handler passes nothing that it has not seen: what can be read is read before the first handler, once. */
async function transformWhole(slot: Slot, given: Given, depth: number, closed: Actor): Promise<TransformResult> {
  const seen = await wholeValues.use(
    ({ readGiven }) => readGiven(given, slot.name),
    (error) => ({ value: withheldValue(slot.name, error.message), context: {}, error }),
  );
  if (seen.error !== undefined) slot.core.report(seen.error);
  return run(slot, seen, depth, seen.error && closed);
}

function run(slot: Slot, { value, context }: Given, depth: number, withheldBy?: Actor): TransformResult | Promise<TransformResult> {
  return new Waterfall(slot, new BusEvent(slot, context, depth).withValue(value), value, withheldBy).run();
}

class Transformed implements TransformResult {
  readonly value: unknown;
  injections: readonly string[] = NO_TEXTS;
  reminders: readonly Reminder[] = NO_REMINDERS;
  isWithheld = false;
  withheldBy: Actor | undefined;
  readonly trail: readonly TrailStep[];

  constructor(value: unknown, trail: readonly TrailStep[]) {
    this.value = value;
    this.trail = trail;
  }
}

class Waterfall extends Chain<TransformResult> {
  readonly #handlers: readonly Registration[];
  #value: unknown;
  #index = 0;
  #withheldBy: Actor | undefined;
  readonly #effects = new Map<Registration, readonly Effect[]>();

  constructor(slot: Slot, event: BusEvent, value: unknown, withheldBy?: Actor) {
    super(slot, event, true);
    this.#withheldBy = withheldBy;
    this.#handlers = slot.roster.handlers;
    this.#value = value;
    if (slot.core.taps.length > 0) event.stamp();
  }

  protected override next(): Registration | undefined {
    while (this.#index < this.#handlers.length) {
      const registration = this.#handlers[this.#index++] as Registration;
      const admission = admitGuard(registration, this.event, true);
      if (admission === "yes") return registration;
      this.leaveOut(registration, admission);
    }
    return undefined;
  }

  protected override answered(registration: Registration, returned: unknown, durationMs: number | undefined): void {
    const relayed = relayedBy(registration, returned);
    const answer = this.#read(registration, returned, relayed);
    if (answer === undefined) return this.step(registration, "pass", durationMs, undefined, undefined, relayed);
    let fault: HookError | undefined;
    for (const { error, isDecisive, once } of answerFaults(answer, this.slot)) {
      if (isDecisive) answer.rewrite = undefined;
      const named = complain(error, registration, this.slot, once);
      fault ??= named;
    }
    if (fault !== undefined && isClosed(registration)) {
      this.step(registration, "failed", durationMs, fault.message, fault, relayed);
      return this.#withhold(registration, fault);
    }
    if (answer.effects.length > 0) this.#effects.set(registration, answer.effects);
    const action = answer.rewrite !== undefined ? "replace" : (answer.effects[0]?.kind ?? "ignored");
    this.step(registration, action, durationMs, answer.reason, undefined, relayed);
    if (answer.rewrite !== undefined) this.#replace(answer.rewrite.value);
  }

  protected override failed(registration: Registration, error: HookError, durationMs: number | undefined): void {
    this.step(registration, "failed", durationMs, errorText(error), error, relayedBy(registration, error.cause));
    recordFailure(registration, this.slot, error, false);
    if (isClosed(registration)) this.#withhold(registration, error);
  }

  protected override ended(): void {
    const { slot, event, steps } = this;
    const result = new Transformed(this.#value, steps);
    result.isWithheld = this.#withheldBy !== undefined;
    result.withheldBy = this.#withheldBy;
    if (this.#effects.size > 0) keepEffects(result, event, this.#handlers, (registration) => this.#effects.get(registration) ?? []);
    if (slot.core.taps.length > 0) tell(slot, event, (tap) => tap.dispatched?.(event, { kind: "transform", result }));
    this.done(result);
  }

  protected override cancelled(): void {
    this.ended();
  }

  /** Outcomes and plain shapes as in a gate; anything else is the new value, if it is of the old one's type. */
  #read(registration: Registration, returned: unknown, relayed: Relayed | undefined): Answer | undefined {
    if (returned === undefined || returned === null || returned === true) return undefined;
    if (
      relayed !== undefined ||
      returned === false ||
      isMadeOfOutcomes(returned) ||
      (isPlainShape(returned) && !isAlike(returned, this.#value))
    )
      return readAnswer(returned);
    const answer = blank();
    // A wildcard handler that logs and returns something by accident must not replace a tool's result.
    if (registration.parts.isPattern || typeof returned !== typeof this.#value)
      answer.strange.push(`${typeName(returned)} for ${typeName(this.#value)} (say replace(value) if that is meant)`);
    else answer.rewrite = { as: "value", value: returned };
    return answer;
  }

  #withhold({ parts: { name, actor } }: Registration, { failure = "invalid_verdict" }: HookError): void {
    this.#withheldBy ??= actor;
    // No error is quoted: the text of an exception may hold the very value that was to be hidden.
    this.#replace(withheldValue(this.slot.name, `"${name}" failed (${failure})`));
  }

  #replace(value: unknown): void {
    this.#value = value;
    this.event = this.event.sibling().withValue(value);
  }
}

/** A value with keys of its own that a shape would have, too: what looks like a shape is then the next value. */
function isAlike(returned: unknown, value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(returned as object).some((key) => key in value);
}
