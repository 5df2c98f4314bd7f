import { HookError } from "../catalog/errors.js";
import type { EventKind } from "../catalog/events.js";
import type { PayloadOf, ValueOf } from "../catalog/payloads.js";
import { decide } from "./decide.js";
import { observe } from "./observe.js";
import { checkDecideOptions } from "./options.js";
import type { Slot } from "./slot.js";
import { transform } from "./transform.js";
import type { DecideOptions, Decision, TransformResult } from "./types.js";

/** An event of a bus, looked up once: nothing is left on the hot path but the dispatch. */
export interface EventHandle<N extends string = string> {
  readonly name: string;
  /** Whether there is a handler: lets a caller skip building a payload. */
  readonly hasHandlers: boolean;
  emit(payload?: PayloadOf<N>): void | Promise<void>;
  emitSync(payload?: PayloadOf<N>): void;
}
/** Decides one gate without looking up its name. `bus.event` returns it. */
export interface GateHandle<N extends string = string> extends EventHandle<N> {
  decide(payload: PayloadOf<N>, options?: DecideOptions): Decision<PayloadOf<N>> | Promise<Decision<PayloadOf<N>>>;
}
/** Runs one transform without looking up its name. `bus.event` returns it. */
export interface TransformHandle<N extends string = string> extends EventHandle<N> {
  transform(value: ValueOf<N>, context?: PayloadOf<N>): TransformResult<ValueOf<N>> | Promise<TransformResult<ValueOf<N>>>;
}

export class SlotHandle implements EventHandle, GateHandle, TransformHandle {
  readonly slot: Slot;
  readonly depth: number;

  constructor(slot: Slot, depth: number) {
    this.slot = slot;
    this.depth = depth;
    slot.isPinned = true;
  }

  get name(): string {
    return this.slot.name;
  }

  get hasHandlers(): boolean {
    return this.slot.roster.handlers.length > 0;
  }

  emit(payload?: unknown): void | Promise<void> {
    if (this.slot.isIdle) return;
    return observe(this.slot, payload, this.depth);
  }

  emitSync(payload?: unknown): void {
    if (!this.slot.isIdle) void observe(this.slot, payload, this.depth);
  }

  decide(payload: unknown, options?: DecideOptions): Decision<never> | Promise<Decision<never>> {
    if (!this.slot.isGate) throw wrongKind(this.slot, "gate");
    const checked = options === undefined ? undefined : checkDecideOptions(options);
    return decide(this.slot, payload, this.depth, checked) as Decision<never>;
  }

  transform(value: unknown, context?: unknown): TransformResult<never> | Promise<TransformResult<never>> {
    if (!this.slot.isTransform) throw wrongKind(this.slot, "transform");
    return transform(this.slot, value, context, this.depth) as TransformResult<never>;
  }
}

export function wrongKind(slot: Slot, wanted: EventKind): HookError {
  const { kind } = slot.spec;
  const method = wanted === "gate" ? "decide" : "transform";
  const right = kind === "gate" ? "decide" : kind === "transform" ? "transform" : "emit";
  return new HookError(
    "HL_WRONG_KIND",
    `${method}("${slot.name}"): "${slot.name}" is an event of kind ${kind}, not ${wanted}. Use bus.${right}("${slot.name}", …).`,
    { event: slot.name },
  );
}
