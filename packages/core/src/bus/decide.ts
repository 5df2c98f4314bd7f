import { HookError } from "../catalog/errors.js";
import { faultOfTool } from "../match/tool-name.js";
import { DecisionRecord } from "./decision.js";
import { BusEvent, checkPayload } from "./event.js";
import { unreadable } from "./failures.js";
import { Gate } from "./gate.js";
import { JudgedParts } from "./judged-parts.js";
import { LazyPart } from "./lazy-part.js";
import type { Registration } from "./registration.js";
import type { Roster, Slot } from "./slot.js";
import { PartialCopy, snapshot } from "./snapshot.js";
import type { DecideOptions, Decision } from "./types.js";

/** Makes gates faster in which all guards pass; without it, `Gate` asks them. */
export const fastGates = new LazyPart(async () => (await import("./decide-fast.js")).decideFast);

const NO_HANDLERS: readonly Registration[] = [];

/** Decides a gate on a copy of the payload, which is what the host must run. */
export function decide(slot: Slot, payload: unknown, depth: number, options: DecideOptions | undefined): Decision | Promise<Decision> {
  checkPayload(slot.name, payload);
  if (slot.isIdle && options === undefined) return new DecisionRecord("pass", payload, NO_HANDLERS, 0);
  let copy: unknown = payload;
  let refusal: HookError | undefined;
  try {
    if (slot.isCopying && options?.copy !== false) copy = snapshot(payload as object);
    if (slot.canBlock) refusal = misnamed(slot, copy instanceof PartialCopy ? copy.value : copy);
  } catch (error) {
    refusal = unreadable(slot, error);
  }
  const roster = rosterFor(slot, options);
  if (refusal !== undefined) {
    if (slot.canBlock) return new Gate(slot, new BusEvent(slot, payload, depth), roster).refusing(refusal).run();
    slot.core.report(refusal);
  }
  if (copy instanceof PartialCopy) {
    const event = new BusEvent(slot, copy.value, depth);
    return new Gate(slot, event, roster).knowing(new JudgedParts(copy)).under(options).run();
  }
  const event = new BusEvent(slot, copy, depth);
  const decideFast = fastGates.loaded;
  return decideFast === undefined ? new Gate(slot, event, roster).under(options).run() : decideFast(slot, event, roster, options);
}

/** A tool whose name reads like another's would pass the guards of that one, and might run as it. */
function misnamed(slot: Slot, payload: unknown): HookError | undefined {
  const fault = faultOfTool(payload as object);
  if (fault === undefined) return undefined;
  return new HookError("HL_BAD_PAYLOAD", `The name of the tool in "${slot.name}" ${fault}: it reads like another tool's.`, {
    fix: "Give the tool a name of visible characters, without spaces at its ends.",
    event: slot.name,
    failure: "invalid_verdict",
  });
}

function rosterFor(slot: Slot, options: DecideOptions | undefined): Roster {
  return options?.observers === false ? { ...slot.roster, observers: NO_HANDLERS } : slot.roster;
}
