import type { OutcomeKind } from "./events.js";
import { checkReminder, type ReminderSpec } from "./reminder.js";

// Recognised across two copies of the package, and never by accident in a payload or a transformed value.
const OUTCOME = Symbol.for("hookline.outcome");

/** What a handler answers. Made by the constructors below; `isOutcome` recognises them. */
export interface Outcome<K extends OutcomeKind = OutcomeKind> {
  readonly kind: K;
  /** Why: shown to the model or the person. */
  readonly reason?: string | undefined;
  /** The new payload (`modify`), value (`replace`, `handled`) or text (`inject`). */
  readonly value?: unknown;
  /** `block` only: the agent's loop ends too. */
  readonly endLoop?: boolean | undefined;
  /** An effect that survives a chain that ends in deny. */
  readonly keep?: boolean | undefined;
}

/** Options of `block`. */
export interface BlockOptions {
  /** End the agent's loop, not only this call. */
  readonly endLoop?: boolean;
}
/** Options of `inject` and `remind`. */
export interface EffectOptions {
  /** Keep the effect even when the chain ends in deny. */
  readonly keep?: boolean;
}

/** The call must not happen. `block("no", { endLoop: true })` ends the agent's loop as well. */
export function block(reason?: string, options: BlockOptions = {}): Outcome<"block"> {
  return make({ kind: "block", reason, endLoop: options.endLoop });
}

/** A person must decide. */
export function ask(reason?: string): Outcome<"ask"> {
  return make({ kind: "ask", reason });
}

/** The call may happen, without the agent's own prompt. Saying nothing is not the same. */
export function allow(reason?: string): Outcome<"allow"> {
  return make({ kind: "allow", reason });
}

/** Go on with another payload: `modify({ ...event.payload, tool: { ...event.payload.tool, input } })`. */
export function modify(payload: unknown, reason?: string): Outcome<"modify"> {
  return make({ kind: "modify", value: payload, reason });
}

/** Text for the model's context. */
export function inject(text: string, options: EffectOptions = {}): Outcome<"inject"> {
  return make({ kind: "inject", value: text, keep: options.keep });
}

/** A reminder for the session's book. Unknown keys and bad values throw `HL_BAD_REMINDER`. */
export function remind(reminder: ReminderSpec, options: EffectOptions = {}): Outcome<"remind"> {
  return make({ kind: "remind", value: checkReminder(reminder), keep: options.keep });
}

/** Replaces the value of a transform. */
export function replace(value: unknown): Outcome<"replace"> {
  return make({ kind: "replace", value });
}

/** `finish:before` only: the agent goes on instead of finishing. */
export function again(reason?: string): Outcome<"again"> {
  return make({ kind: "again", reason });
}

/** `command:*` only: the command has been dealt with; `output` is what the user sees. */
export function handled(output?: unknown): Outcome<"handled"> {
  return make({ kind: "handled", value: output });
}

export function isOutcome(value: unknown): value is Outcome {
  return typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[OUTCOME] === true;
}

class MadeOutcome<K extends OutcomeKind> implements Outcome<K> {
  readonly kind: K;
  readonly reason: string | undefined;
  readonly value: unknown;
  readonly endLoop: boolean | undefined;
  readonly keep: boolean | undefined;

  constructor(parts: Outcome<K>) {
    this.kind = parts.kind;
    this.reason = parts.reason;
    this.value = parts.value;
    this.endLoop = parts.endLoop;
    this.keep = parts.keep;
  }

  get [OUTCOME](): true {
    return true;
  }
}

function make<K extends OutcomeKind>(parts: Outcome<K>): Outcome<K> {
  return new MadeOutcome(parts);
}
