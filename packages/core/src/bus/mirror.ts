import { HookError } from "../catalog/errors.js";
import type { Bus } from "./bus.js";
import { messageOf } from "./describe-error.js";
import { followQuietly } from "./promises.js";

/** Writes one event to a user interface. */
export type UiWriter = (event: string, sessionId: string | undefined, payload: unknown) => unknown;

/** Wraps a UI's own writer: writes first, then emits `<namespace>:<event>` with `{ session_id, payload }`. Never throws. */
export function mirror(bus: Bus, namespace: string, write: UiWriter): (event: string, sessionId?: string, payload?: unknown) => void {
  return (event, sessionId, payload) => {
    const name = String(event);
    const failed = (error: unknown): void =>
      bus.report(
        new HookError("HL_HANDLER_FAILED", `The mirrored writer failed on "${name}": ${messageOf(error)}`, {
          event: name,
          failure: "crash",
          cause: error,
        }),
      );
    try {
      followQuietly(write(event, sessionId, payload), failed);
    } catch (error) {
      failed(error);
    }
    bus.emitSync(`${namespace}:${name}`, { session_id: sessionId, payload: payload ?? {} });
  };
}
