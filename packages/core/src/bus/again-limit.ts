import { HookError } from "../catalog/errors.js";
import type { DecisionRecord } from "./decision.js";
import type { BusEvent } from "./event.js";
import type { Slot } from "./slot.js";

const DEFAULT_MAX_AGAIN = 3;
const MAX_SESSIONS = 10_000;

/** Lets `again` through a bounded number of times in a row per session, so an agent can always finish in the end. */
export function boundAgain(decision: DecisionRecord, slot: Slot, event: BusEvent): void {
  if (slot.name !== "finish:before") return;
  const { agains, options } = slot.core;
  const session = event.session?.id ?? "";
  if (decision.again === undefined) {
    agains.delete(session);
    return;
  }
  const inARow = (agains.get(session) ?? 0) + 1;
  if (inARow > (options.maxAgain ?? DEFAULT_MAX_AGAIN)) {
    const { by, reason } = decision.again;
    slot.core.report(
      new HookError(
        "HL_AGAIN_LIMIT",
        `"${by}" kept the agent from finishing ${inARow - 1} times in a row (${reason ?? "no reason"}); it may finish now.`,
        { event: slot.name, handler: by },
      ),
    );
    decision.again = undefined;
    agains.delete(session);
    return;
  }
  if (agains.size >= MAX_SESSIONS) agains.clear();
  agains.set(session, inARow);
}
