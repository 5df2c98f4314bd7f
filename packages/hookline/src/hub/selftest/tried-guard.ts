import type { Bus, HandlerInfo, TapCall, TrailStep } from "@hookline/core";
import type { HookSpec } from "../../extensions/handler-source.js";
import type { Senders } from "../../rules/sender.js";
import type { Canary } from "./canary.js";
import type { Guard } from "./guard.js";

/** What a guard did with a canary. */
export interface Said {
  /** Missing when it was not asked. */
  readonly call?: TapCall | undefined;
  /** The handlers that changed the canary before it reached the guard. */
  readonly rewrittenBy: readonly string[];
}

/** A guard on the bus. */
export interface TriedGuard {
  readonly guard: Guard;
  /** Why it is not on the bus. */
  readonly refusal?: string | undefined;
  send(canary: Canary, signal: AbortSignal): Promise<Said>;
}

export interface Turn {
  /** The hook whose turn it is. */
  spec: HookSpec | undefined;
  /** The last word of each handler. */
  readonly calls: Map<number, TapCall>;
}

export interface Stage {
  readonly bus: Bus;
  readonly turn: Turn;
  readonly senders: Senders;
}

export type Refuse = (error: Error) => void;

/** Puts it on the bus, and gives it as one to be tried if it is a guard. */
export function tryGuard(
  { bus, turn }: Stage,
  guard: Guard | undefined,
  register: (refuse: Refuse) => void,
  spec?: HookSpec,
): TriedGuard[] {
  const before = bus.count();
  let refusal: string | undefined;
  try {
    register((error) => {
      refusal ??= error.message;
    });
  } catch (error) {
    refusal = (error as Error).message;
  }
  if (guard === undefined) return [];
  const handlers = bus.list().slice(before);
  return [{ guard, refusal, send: (canary, signal) => send(bus, turn, { handlers, spec, canary, signal }) }];
}

interface Trial {
  readonly handlers: readonly HandlerInfo[];
  readonly spec: HookSpec | undefined;
  readonly canary: Canary;
  readonly signal: AbortSignal;
}

async function send(bus: Bus, turn: Turn, { handlers, spec, canary: { event, payload }, signal }: Trial): Promise<Said> {
  turn.spec = spec;
  turn.calls.clear();
  const { trail } = await bus.decide(event, payload, { signal });
  turn.spec = undefined;
  const call = handlers.flatMap((handler) => lastWord(handler, turn.calls.get(handler.id), trail) ?? []).at(-1);
  const rewrittenBy = trail.flatMap(({ action, actor }) => (action === "modify" ? [actor.name] : []));
  return { call, rewrittenBy: [...new Set(rewrittenBy)] };
}

/** What it said of a canary that was rewritten afterwards, into something it does not match, counts no longer. */
function lastWord({ name, owner }: HandlerInfo, call: TapCall | undefined, trail: readonly TrailStep[]): TapCall | undefined {
  const own = trail.filter(({ actor }) => actor.name === name && actor.owner === owner);
  return own.some(({ action, round }) => action === "no-match" && call !== undefined && round > call.round) ? undefined : call;
}
