import { HookError } from "../catalog/errors.js";
import type { SendResult } from "./sink.js";

/** What a sink answers once it is closed. */
export function closedResult(name: string): SendResult {
  return { status: "failed", cause: new HookError("HL_SINK_CLOSED", `The sink "${name}" is closed.`) };
}
