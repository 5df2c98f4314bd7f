import { createHash } from "node:crypto";
import type { NativePayload } from "../shared/native-payload.js";

/**
 * The same for all hooks of one firing: Gemini CLI has no call id, but makes one payload with one timestamp for them all. What is called
 * with is part of it, as two calls may fall into one millisecond.
 */
export function fireKey(event: string, native: NativePayload): string | undefined {
  // No guard looks at the time: one of another type makes no call unreadable.
  const { timestamp, tool_name, tool_input, prompt } = native.fields;
  const session = native.text("session_id");
  if (session === undefined || typeof timestamp !== "string" || event === "message:delta") return undefined;
  const content = createHash("sha256")
    .update(JSON.stringify([tool_name, tool_input, prompt]))
    .digest("base64url")
    .slice(0, 16);
  return `${session} ${event} ${timestamp} ${content}`;
}
