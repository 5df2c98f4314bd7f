import { badMatch, type Place, quoteIt } from "./bad-match.js";

/** Reads from a payload, or from the current value of a transform. A missing place, and one that cannot be read, is undefined. */
export type Reader = (payload: unknown, value?: unknown) => unknown;

/** What an expression wants where it found something else. */
export const expectedTerm = `Expected a tool name, or a path such as tool.input.command. ${quoteIt}`;

/** Compiles `tool.input.command`: names and list indexes joined by dots. `origin` is where the path stands in a longer text, for errors. */
export function compilePath(path: string, origin: Place = { text: path, at: 0 }): Reader {
  const keys = parseKeys(path, origin);
  const [first, second] = keys;
  if (first === "tool" && second === "args") return aliasReader("input", keys, 2);
  if (first === "tool" && second === "output") return aliasReader("output", keys, 2);
  if (first === "result") return aliasReader("output", keys, second === "text" ? 2 : 1);
  return (payload) => readKeys(payload, keys);
}

/** An own property, or undefined: prototypes are never searched, and a throwing getter or Proxy counts as missing. */
export function readOwn(container: unknown, key: string): unknown {
  try {
    if (typeof container !== "object" || container === null || !Object.hasOwn(container, key)) return undefined;
    return (container as { readonly [key: string]: unknown })[key];
  } catch {
    return undefined;
  }
}

export const readInput = compilePath("tool.input");

// The literal place comes last: a payload of the user's own may really have a `result`.
function aliasReader(field: "input" | "output", keys: readonly string[], aliasLength: number): Reader {
  const rest = keys.slice(aliasLength);
  const meant = ["tool", field, ...rest];
  const isAlias = String(keys) !== String(meant);
  return (payload, value) => {
    const whole = field === "output" && value !== undefined ? readKeys(value, rest) : readKeys(payload, meant);
    // `result.text` of a result that has a text of its own.
    const found = aliasLength === 2 && field === "output" && rest.length === 0 && isAlias ? (readOwn(whole, "text") ?? whole) : whole;
    return found === undefined && isAlias ? readKeys(payload, keys) : found;
  };
}

function readKeys(root: unknown, keys: readonly string[]): unknown {
  let current = root;
  for (let i = 0; i < keys.length && current !== undefined; i++) current = readOwn(current, keys[i] as string);
  return current;
}

function parseKeys(path: string, { text, at }: Place): readonly string[] {
  const wrong = path.search(/[^\p{L}\p{M}\p{N}_$@.-]|(?<![^.])(\.|$)/u);
  if (wrong >= 0) throw badMatch(expectedTerm, { text, at: at + wrong });
  return path.split(".");
}
