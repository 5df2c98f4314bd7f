import type { EventSpec, OutcomeKind } from "../catalog/events.js";
import type { EventInfo } from "../catalog/names.js";
import type { BusCore } from "./core.js";
import type { Registration } from "./registration.js";

const NOBODY: readonly Registration[] = [];

/** One event on one bus: its catalogue row and who listens, in order. The list is replaced, never mutated, so a running dispatch keeps its own. */
export class Slot {
  /** Nobody listens and nobody watches: an emit ends here. */
  isIdle = true;
  /** The fast loops may run: nobody watches each call and payloads are not frozen. */
  isPlain = true;
  handlers: readonly Registration[] = NOBODY;
  /** In a gate, how many of them may decide: all before the observe stage. */
  deciders = 0;
  readonly name: string;
  readonly spec: EventSpec;
  readonly core: BusCore;
  readonly isGate: boolean;
  readonly isTransform: boolean;
  /** A gate whose outcomes include block: only there does `closed` deny. */
  readonly canBlock: boolean;
  /** Somebody holds a handle on it, so it outlives a clean-up. */
  isPinned = false;

  constructor(info: EventInfo, core: BusCore) {
    this.name = info.name;
    this.spec = info.spec;
    this.core = core;
    this.isGate = info.spec.kind === "gate";
    this.isTransform = info.spec.kind === "transform";
    this.canBlock = this.isGate && info.spec.outcomes.includes("block");
  }

  allows(outcome: OutcomeKind): boolean {
    return this.spec.outcomes.includes(outcome);
  }
}
