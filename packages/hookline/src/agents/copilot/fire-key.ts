import { createHash } from "node:crypto";
import type { NativePayload } from "../shared/native-payload.js";

/**
 * The same for all hooks of one firing: Copilot CLI has no call id, but one time for them all, as a number in one spelling and as text in
 * the other. The tool's name differs between the two, its input does not. Two equal calls of one turn have one time, too: they are told
 * from a double delivery only by coming through the same door twice.
 */
export function fireKey(event: string, native: NativePayload): string | undefined {
  const [session, at] = [native.text("session_id"), timeOf(native.fields.timestamp)];
  if (session === undefined || Number.isNaN(at)) return undefined;
  const { tool_input, prompt } = native.fields;
  const content = createHash("sha256")
    .update(JSON.stringify([tool_input, prompt]))
    .digest("base64url")
    .slice(0, 16);
  return `${session} ${event} ${at} ${content}`;
}

function timeOf(timestamp: unknown): number {
  if (typeof timestamp === "number") return timestamp;
  return typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
}
