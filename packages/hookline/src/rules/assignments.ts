import { HookError } from "@hookline/core";

type Fields = { readonly [key: string]: unknown };

/** The values that a rule writes into a payload. Returns a new payload and leaves the old one unchanged. */
export type Assign = (payload: unknown) => unknown;

const VALUE = /\{value\}/g;
const IDENTITY = ["tool.name", "tool.runtimeName", "tool.callId"];

/** Compiles `set = { "tool.input.command" = "timeout 60 {value}" }`. Throws `HL_BAD_RULE` for a path that cannot be written. */
export function compileAssignments(set: Fields): Assign {
  const steps = Object.entries(set).map(([path, value]) => ({ keys: parsePath(path), value }));
  if (steps.length === 0) throw new HookError("HL_BAD_RULE", '"set" has no path: write set = { "tool.input.command" = "…" }.');
  return (payload) => steps.reduce<unknown>((current, { keys, value }) => write(current, keys, value), payload);
}

/** Why a path cannot be written; `undefined` for a good one. */
export function findPathFault(path: string): string | undefined {
  const keys = path.split(".");
  if (keys.includes("")) return `"${path}" is not a path such as tool.input.command`;
  if (keys.some((key) => key in Object.prototype)) return `"${path}" has a key that every object inherits`;
  if (IDENTITY.includes(path) || path === "tool") return `"${path}" identifies the call, and a rewrite cannot change that`;
  return undefined;
}

function parsePath(path: string): readonly string[] {
  const fault = findPathFault(path);
  if (fault !== undefined) throw new HookError("HL_BAD_RULE", `${fault}.`);
  const [first = "", second = "", ...rest] = path.split(".");
  return first === "tool" && second === "args" ? ["tool", "input", ...rest] : path.split(".");
}

function write(container: unknown, keys: readonly string[], value: unknown): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return filled(value, container);
  const old = memberOf(container, key, keys);
  const next = write(old, rest, value);
  return next === old ? container : withMember(container, key, next);
}

/** Only existing items of a list can be written: an item beyond its end would leave a gap. */
function memberOf(container: unknown, key: string, keys: readonly string[]): unknown {
  if (container === undefined || container === null) return undefined;
  if (typeof container !== "object") throw unwritable(keys, `it is a ${typeof container}`);
  if (Array.isArray(container) && !(Number(key) < container.length && /^\d+$/.test(key)))
    throw unwritable(keys, "the list has no such item");
  return Object.hasOwn(container, key) ? (container as Fields)[key] : undefined;
}

function withMember(container: unknown, key: string, value: unknown): unknown {
  return Array.isArray(container) ? container.with(Number(key), value) : { ...(container as Fields | undefined), [key]: value };
}

// Without an old value `{value}` has no replacement, and half a command is worse than none.
function filled(value: unknown, old: unknown): unknown {
  if (typeof value !== "string" || !value.includes("{value}")) return value;
  if (old === undefined || old === null) return old;
  return value.replace(VALUE, () => (typeof old === "string" ? old : JSON.stringify(old)));
}

function unwritable(keys: readonly string[], why: string): HookError {
  return new HookError("HL_BAD_RULE", `A rule cannot write "${keys[0]}" here: ${why}.`);
}
