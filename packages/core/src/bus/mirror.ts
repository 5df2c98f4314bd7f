import { HookError } from "../catalog/errors.js";
import type { Bus } from "./bus.js";
import { messageOf } from "./describe-error.js";
import { promiseOf, whenSettled } from "./promises.js";

export type UiWriter = (event: string, sessionId: string | undefined, payload: unknown) => unknown;

/** Wraps a UI's own writer: writes first, then emits `<namespace>:<event>` with `{ session_id, payload }`. Never throws. */
export function mirror(bus: Bus, namespace: string, write: UiWriter): (event: string, sessionId?: string, payload?: unknown) => void {
  return (event, sessionId, payload) => {
    const failed = (error: unknown): void => tellQuietly(bus, event, error);
    try {
      const written = promiseOf(write(event, sessionId, payload));
      if (written !== undefined) whenSettled(written, () => {}, failed);
    } catch (error) {
      failed(error);
    }
    bus.emitSync(`${namespace}:${event}` as "tui:x", { session_id: sessionId as string, payload });
  };
}

function tellQuietly(bus: Bus, event: string, error: unknown): void {
  try {
    bus.onError(
      new HookError("HL_HANDLER_FAILED", `The mirrored writer failed on "${event}": ${messageOf(error)}`, {
        event,
        failure: "crash",
        cause: error,
      }),
    );
  } catch {
    // Nobody left to tell.
  }
}
