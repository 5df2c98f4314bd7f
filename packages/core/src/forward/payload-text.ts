import { copyJsonSafe, toJsonSafe } from "../text/json-safe.js";

// Agents leave many members undefined: 1 µs instead of 4, for a payload that needs no copy.
const FOR_TEXT = { isForText: true };

/** The payload's JSON as it is now: the agent may go on to change it. What JSON cannot carry becomes a marker. Never throws. */
export function payloadText(payload: unknown, limits: { readonly maxNodes?: number; readonly maxDepth?: number } = {}): string {
  try {
    return JSON.stringify(toJsonSafe(payload, { ...limits, ...FOR_TEXT })) ?? "null";
  } catch {
    return hostileText(payload, limits);
  }
}

// For getters and proxies that answer differently the second time, and for more text than a string can hold.
function hostileText(payload: unknown, limits: Parameters<typeof copyJsonSafe>[1]): string {
  try {
    return JSON.stringify(copyJsonSafe(payload, limits));
  } catch {
    return '{"$hookline":"size"}';
  }
}
