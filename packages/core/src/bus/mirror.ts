import { HookError } from "../catalog/errors.js";
import type { Bus } from "./bus.js";
import { messageOf } from "./describe-error.js";

export type UiWriter = (event: string, sessionId: string | undefined, payload: unknown) => unknown;

/** Wraps a UI's own writer: writes first, then emits `<namespace>:<event>` with `{ session_id, payload }`. Never throws. */
export function mirror(bus: Bus, namespace: string, write: UiWriter): (event: string, sessionId?: string, payload?: unknown) => void {
  return (event, sessionId, payload) => {
    try {
      write(event, sessionId, payload);
    } catch (error) {
      tellQuietly(
        bus,
        new HookError("HL_HANDLER_FAILED", `The mirrored writer failed on "${event}": ${messageOf(error)}`, {
          event,
          failure: "crash",
          cause: error,
        }),
      );
    }
    bus.emitSync(`${namespace}:${event}` as "tui:x", { session_id: sessionId as string, payload });
  };
}

function tellQuietly(bus: Bus, error: HookError): void {
  try {
    bus.onError(error);
  } catch {
    // Nobody left to tell.
  }
}
