import { didYouMean } from "../text/did-you-mean.js";
import { badMatch } from "./bad-match.js";
import { deepEqual } from "./deep-equal.js";
import { compileGlob, compileNameGlob } from "./glob.js";
import { compilePath, type PathUse, type Reader, readInput } from "./path.js";
import { allOf, type Predicate } from "./predicate.js";
import { isPlain, toJson, toText } from "./text.js";
import { compileNameAt, compileToolFilter } from "./tool-filter.js";

/** Conditions that must all hold. */
export interface MatchObject {
  /** A tool's name, a glob or a list of them. Case does not count. */
  readonly tool?: string | readonly string[];
  /** A part of the JSON of the tool's input. */
  readonly contains?: string;
  /** The whole input of the tool. */
  readonly equals?: unknown;
  /** Paths and what is found there: text is a glob, anything else is compared deeply. */
  readonly where?: { readonly [path: string]: unknown };
}

/** Undefined when there is no condition. */
export function compileObject(match: object, paths: PathUse[] = []): Predicate | undefined {
  const predicates = Object.entries(record(match, "")).map(([key, wanted]) => compileKey(key, wanted, paths));
  return predicates.length === 0 ? undefined : allOf(predicates);
}

const keys: { readonly [key: string]: (wanted: unknown, paths: PathUse[]) => Predicate } = {
  tool: (wanted, paths) => {
    paths.push({ path: "tool.name", key: "tool" });
    return compileToolFilter(wanted as string);
  },
  contains: (wanted, paths) => {
    paths.push({ path: "tool.input", key: "contains" });
    return compileContains(wanted);
  },
  equals: (wanted, paths) => {
    paths.push({ path: "tool.input", key: "equals" });
    return equals(readInput, data(wanted, "equals"));
  },
  where: compileWhere,
};

function compileKey(key: string, wanted: unknown, paths: PathUse[]): Predicate {
  if (Object.hasOwn(keys, key)) return (keys[key] as (typeof keys)[string])(wanted, paths);
  const known = Object.keys(keys);
  throw badMatch(`match has no key "${key}".${didYouMean(key, known)} It takes ${known.join(", ")}.`);
}

function compileContains(wanted: unknown): Predicate {
  if (typeof wanted !== "string") throw badMatch("match.contains takes a string.");
  return (payload) => {
    const input = readInput(payload);
    return input !== undefined && toJson(input).includes(wanted);
  };
}

function compileWhere(where: unknown, paths: PathUse[]): Predicate {
  for (const path of Object.keys(record(where, ".where"))) paths.push({ path });
  return allOf(Object.entries(record(where, ".where")).map(([path, wanted]) => compilePlace(path, wanted)));
}

function compilePlace(path: string, wanted: unknown): Predicate {
  const read = compilePath(path);
  if (typeof wanted !== "string") return equals(read, data(wanted, `where["${path}"]`));
  const ofName = compileNameAt(path, compileNameGlob(wanted));
  if (ofName !== undefined) return ofName;
  const matches = compileGlob(wanted);
  return (payload, value) => matches(toText(read(payload, value)));
}

function equals(read: Reader, wanted: unknown): Predicate {
  return (payload, value) => deepEqual(read(payload, value), wanted);
}

function record(value: unknown, name: string): { readonly [key: string]: unknown } {
  if (typeof value === "object" && value !== null && isPlain(value)) return value as { readonly [key: string]: unknown };
  throw badMatch(`match${name} takes an object of conditions.`);
}

// No payload holds these, so the handler would never fire.
function data(value: unknown, name: string): unknown {
  if (value !== undefined && typeof value !== "function" && !(value instanceof RegExp)) return value;
  throw badMatch(`match.${name} takes data. Leave it out, or write an expression such as "tool.name =~ ^git".`);
}
