import { badMatch, type Place, quoteIt } from "./bad-match.js";

/** Reads from a payload, or from the current value of a transform. A missing place is undefined; one that cannot be read throws. */
export type Reader = (payload: unknown, value?: unknown) => unknown;

/** A path that a match reads, and where it stands in its text. `key`: the option that reads it, if the path was not written by the user. */
export interface PathUse {
  readonly path: string;
  readonly place?: Place;
  readonly key?: "tool" | "contains" | "equals";
}

/** What an expression expects at a place where it found something else. */
export const expectedTerm = `Expected a tool name, or a path such as tool.input.command. ${quoteIt}`;

/** Compiles `tool.input.command`: names and list indexes joined by dots. `origin` is where the path stands in a longer text, for errors. */
export function compilePath(path: string, origin: Place = { text: path, at: 0 }): Reader {
  const keys = parseKeys(path, origin);
  const [first, second] = keys;
  if (first === "tool" && second === "args") return aliasReader("input", keys, 2);
  if (first === "tool" && second === "output") return aliasReader("output", keys, 2);
  if (first === "result") return aliasReader("output", keys, second === "text" ? 2 : 1);
  if (keys.some(isInherited)) return (payload) => readKeys(payload, keys);
  const [, , third] = keys;
  if (first === "tool" && second === "input" && third !== undefined && keys.length === 3) return (payload) => readField(payload, third);
  if (first === "tool" && second !== undefined && keys.length === 2) return (payload) => readTool(payload)?.[second];
  return (payload) => readOwnKeys(payload, keys);
}

/** The tool of a payload; it may be anything. */
export function readTool(payload: unknown): { readonly [key: string]: unknown } | undefined {
  if (typeof payload !== "object" || payload === null) return undefined;
  const { tool } = payload as { readonly tool?: unknown };
  return typeof tool === "object" && tool !== null ? (tool as { readonly [key: string]: unknown }) : undefined;
}

/**
 * A member, own or of its class, or undefined. What every object inherits (`constructor`, `toString`) does not count. A getter or Proxy that
 * throws is not caught: to a guard, what cannot be read is a failure and not a missing field.
 */
export function readMember(container: unknown, key: string): unknown {
  if (typeof container !== "object" || container === null) return undefined;
  if (!Object.hasOwn(container, key) && (key in Object.prototype || (Array.isArray(container) && key in Array.prototype))) return undefined;
  return (container as { readonly [key: string]: unknown })[key];
}

export const readInput = compilePath("tool.input");

// The literal path comes last, because the payload of a custom event may have a field `result`.
function aliasReader(field: "input" | "output", keys: readonly string[], aliasLength: number): Reader {
  const rest = keys.slice(aliasLength);
  const meant = ["tool", field, ...rest];
  const isAlias = String(keys) !== String(meant);
  return (payload, value) => {
    const whole = field === "output" && value !== undefined ? readKeys(value, rest) : readKeys(payload, meant);
    // `result.text` of a result that has a text of its own.
    const found = aliasLength === 2 && field === "output" && rest.length === 0 && isAlias ? (readMember(whole, "text") ?? whole) : whole;
    return found === undefined && isAlias ? readKeys(payload, keys) : found;
  };
}

function isInherited(key: string): boolean {
  return key in Object.prototype || key in Array.prototype;
}

// The paths that rules read most. Names in the code are read twice as fast as names from a list.
function readField(payload: unknown, field: string): unknown {
  const input = readTool(payload)?.input;
  return typeof input === "object" && input !== null ? (input as { readonly [key: string]: unknown })[field] : undefined;
}

// For a name that no object inherits, the check for inherited members is skipped. This halves the time of a rule that does not match.
function readOwnKeys(root: unknown, keys: readonly string[]): unknown {
  let current = root;
  for (let i = 0; i < keys.length; i++) {
    if (typeof current !== "object" || current === null) return undefined;
    current = (current as { readonly [key: string]: unknown })[keys[i] as string];
  }
  return current;
}

function readKeys(root: unknown, keys: readonly string[]): unknown {
  let current = root;
  for (let i = 0; i < keys.length && current !== undefined; i++) current = readMember(current, keys[i] as string);
  return current;
}

function parseKeys(path: string, { text, at }: Place): readonly string[] {
  const wrong = path.search(/[^\p{L}\p{M}\p{N}_$@.-]|(?<![^.])(\.|$)/u);
  if (wrong >= 0) throw badMatch(expectedTerm, { text, at: at + wrong });
  return path.split(".");
}
