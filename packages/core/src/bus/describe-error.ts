import { HookError } from "../catalog/errors.js";

/** An error's message without ever throwing: handlers throw strings, Proxies and objects whose getters throw. */
export function messageOf(error: unknown): string {
  try {
    if (typeof error === "object" && error !== null && "message" in error) return String((error as { message: unknown }).message);
    return String(error);
  } catch {
    return "(an error that cannot be read)";
  }
}

/** The value if it is one of our errors; `instanceof` alone throws for a revoked Proxy. */
export function asHookError(value: unknown): HookError | undefined {
  try {
    return value instanceof HookError ? value : undefined;
  } catch {
    return undefined;
  }
}

const MAX_SHOWN = 40;

/** A value as a message shows it. */
export function shown(value: unknown): string {
  if (typeof value === "string") return `"${value.slice(0, MAX_SHOWN)}"`;
  return typeof value === "number" || typeof value === "boolean" || typeof value === "bigint" ? String(value) : typeName(value);
}

/** The name of a value's type in a sentence. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  try {
    return Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : `a ${typeof value}`;
  } catch {
    return "an object";
  }
}
