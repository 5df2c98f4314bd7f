import { HookError } from "../catalog/errors.js";
import { messageOf } from "./describe-error.js";
import type { BusEvent } from "./event.js";
import { followQuietly } from "./promises.js";
import type { Slot } from "./slot.js";
import type { Tap } from "./types.js";

/** Calls one method of every tap; one that throws is reported and disturbs no other. */
export function tell(slot: Slot, event: BusEvent, call: (tap: Tap) => unknown): void {
  const report = (error: unknown): void =>
    slot.core.report(
      new HookError("HL_HANDLER_FAILED", `A tap failed on "${slot.name}": ${messageOf(error)}`, {
        event: event.name,
        failure: "crash",
        cause: error,
      }),
    );
  for (const tap of slot.core.taps) {
    try {
      followQuietly(call(tap), report);
    } catch (error) {
      report(error);
    }
  }
}
