import type { LineFault } from "./line-reader.js";

/** One JSON object on a line of its own. */
export interface Frame {
  readonly [key: string]: unknown;
}

/** What can be wrong with what a peer sends. `unexpected`: a frame that no listener waits for. */
export type ProtocolFault = LineFault | "not_json" | "not_object" | "too_deep" | "unexpected";

/** How often each fault occurred. */
export type ProtocolErrors = { readonly [fault in ProtocolFault]: number };

// A payload of 64 levels, an envelope around it and a frame or two around that.
const MAX_DEPTH = 72;

/** The frame on a line, or what is wrong with it. Never throws. */
export function parseFrame(line: string): Frame | ProtocolFault {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return "not_json";
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "not_object";
  return isWithin(value, MAX_DEPTH) ? (value as Frame) : "too_deep";
}

/** Whether a line is longer than a peer would take. A character is at most three bytes, so few lines are measured. */
export function isOversize(line: string, maxBytes: number): boolean {
  return line.length * 3 > maxBytes && Buffer.byteLength(line) > maxBytes;
}

export function noProtocolErrors(): Record<ProtocolFault, number> {
  return { oversize: 0, not_utf8: 0, truncated: 0, not_json: 0, not_object: 0, too_deep: 0, unexpected: 0 };
}

/** Whether a value of JSON has at most so many levels. A much deeper one can be read, but neither walked nor written again. */
export function isWithin(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depth === 0) return false;
  for (const member of Object.values(value)) if (!isWithin(member, depth - 1)) return false;
  return true;
}
