import { HookError } from "../catalog/errors.js";
import type { BasePayload, SessionRef } from "../catalog/payloads.js";
import type { Bus } from "./bus.js";
import { typeName } from "./describe-error.js";
import type { Slot } from "./slot.js";
import type { HookEvent } from "./types.js";

interface Identity {
  id: string;
  at: number;
}

/** Created only when it is read. */
class Extras {
  identity: Identity | undefined;
  controller: AbortController | undefined;
  /** Why the signal is aborted, also for a handler that reads it only then. */
  abortedFor: { readonly reason: unknown } | undefined;
  value: unknown;
  isHeld = false;
}

/**
 * The event as handlers see it: four fields, the rest lazy (id and time on every emit would turn 18 ns into 100).
 * The payload never changes: a rewrite makes a sibling with the same identity.
 */
export class BusEvent implements HookEvent {
  readonly payload: BasePayload;
  readonly slot: Slot;
  readonly depth: number;
  extras: Extras | undefined;

  constructor(slot: Slot, payload: unknown, depth: number) {
    this.payload = payload as BasePayload;
    this.slot = slot;
    this.depth = depth;
    this.extras = undefined;
  }

  get name(): string {
    return this.slot.name;
  }

  get id(): string {
    return identityOf(this).id;
  }

  get at(): number {
    return identityOf(this).at;
  }

  get value(): unknown {
    return this.extras?.value;
  }

  get session(): SessionRef | undefined {
    return sessionOf(this.payload);
  }

  get signal(): AbortSignal {
    const extras = extrasOf(this);
    if (extras.controller === undefined) {
      extras.controller = new AbortController();
      if (extras.abortedFor !== undefined) extras.controller.abort(extras.abortedFor.reason);
    }
    return extras.controller.signal;
  }

  get bus(): Bus {
    return this.slot.core.nested(this.depth + 1);
  }

  /** The handler that holds this event has run out of time, or the caller has cancelled. */
  abort(reason: unknown): void {
    const extras = extrasOf(this);
    extras.abortedFor = { reason };
    extras.controller?.abort(reason);
  }

  get isSignalTaken(): boolean {
    return this.extras?.controller !== undefined;
  }

  /** A pending handler holds it, or its signal is in use: the next handler needs its own event. */
  get isKept(): boolean {
    return this.extras !== undefined && (this.extras.isHeld || this.extras.controller !== undefined);
  }

  keep(): void {
    extrasOf(this).isHeld = true;
  }

  withValue(value: unknown): this {
    extrasOf(this).value = value;
    return this;
  }

  /** The same event for the next handler: with another payload or value, or because a pending handler keeps this one. */
  sibling(payload: unknown = this.payload): BusEvent {
    const next = new BusEvent(this.slot, payload, this.depth);
    const extras = extrasOf(next);
    extras.identity = identityOf(this);
    extras.value = this.extras?.value;
    return next;
  }

  /** Fixes id and time now, for a tap that will want them. */
  stamp(): void {
    identityOf(this);
  }
}

// Functions and not private methods, which would put a brand on every event: 8 of its bytes and a store.
function extrasOf(event: BusEvent): Extras {
  event.extras ??= new Extras();
  return event.extras;
}

function identityOf(event: BusEvent): Identity {
  const extras = extrasOf(event);
  extras.identity ??= event.slot.core.identify();
  return extras.identity;
}

/** A payload may be anything, so its session may be too. */
export function sessionOf(payload: unknown): SessionRef | undefined {
  try {
    const session = (payload as { session?: unknown } | null | undefined)?.session as { id?: unknown } | undefined;
    return typeof session === "object" && session !== null && typeof session.id === "string" ? (session as SessionRef) : undefined;
  } catch {
    return undefined;
  }
}

/** The id of the tool call that a payload is about. */
export function callIdOf(payload: unknown): string | undefined {
  try {
    const { callId } = (payload as { readonly tool: { readonly callId?: unknown } }).tool;
    return typeof callId === "string" ? callId : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a payload holds a call that guards can judge: the name of a tool, and an input with fields. */
export function hasCall(payload: unknown): boolean {
  try {
    const { name, input } = (payload as { readonly tool: { readonly name?: unknown; readonly input?: unknown } }).tool;
    return typeof name === "string" && typeName(input) === "an object";
  } catch {
    // Without a tool, or with a getter or Proxy that throws.
    return false;
  }
}

/** Handlers read the fields of a payload: one without fields would pass every guard unseen. Throws `HL_BAD_PAYLOAD`. */
export function checkPayload(event: string, payload: unknown): void {
  const given = typeName(payload);
  if (given === "an object") return;
  throw new HookError("HL_BAD_PAYLOAD", `The payload of "${event}" must be an object, not ${given}.`, {
    fix: "Pass the fields that docs/reference/events.md lists for the event.",
    event,
  });
}
