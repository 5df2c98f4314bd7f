import type { BasePayload, ToolCall } from "../catalog/payloads.js";
import { badMatch } from "./bad-match.js";
import { compileExpression } from "./expression.js";
import { compileObject, type MatchObject } from "./object.js";
import type { PathUse } from "./path.js";
import { allOf, type Predicate } from "./predicate.js";
import { nativeRegex, type RegexEngine } from "./regex.js";
import { toJson } from "./text.js";
import { compileToolFilter } from "./tool-filter.js";

export type { MatchObject, PathUse, Predicate, RegexEngine };
export { nativeRegex };

type KnownFields = { readonly [K in keyof BasePayload as string extends K ? never : K]: BasePayload[K] };
/** What a match function gets if it does not declare a type. `object &` also accepts a function that declares its own fields. */
type MatchPayload = object & KnownFields & { readonly tool?: ToolCall };
// Written as a method, because its parameter may then be narrower than declared: a function for any payload type fits.
interface MatchMethod {
  matches(payload: MatchPayload, value: unknown): boolean;
}
/** A match in code. It returns at once: `true` if the handler is for the event. */
export type MatchFunction = MatchMethod["matches"];
/** Which events a handler is for: an expression, an object of conditions or a function. */
export type Match = string | MatchObject | MatchFunction;

export interface MatchSpec {
  readonly match?: Match | undefined;
  readonly tool?: string | readonly string[] | undefined;
}

/** Undefined when there is nothing to check. Throws `HL_BAD_MATCH`; what it returns throws only what a user's own function or regex engine throws. */
export function compileMatch(spec: MatchSpec, engine: RegexEngine = nativeRegex): Predicate | undefined {
  const tool = spec.tool === undefined ? undefined : compileToolFilter(spec.tool);
  const match = spec.match === undefined ? undefined : compileOne(spec.match, engine);
  return tool && match ? allOf([tool, match]) : (tool ?? match);
}

/** The paths that a match reads, in the order they are written; those of a function are unknown. Throws `HL_BAD_MATCH` for an invalid expression. */
export function pathsIn(spec: MatchSpec): readonly PathUse[] {
  const paths: PathUse[] = spec.tool === undefined ? [] : [{ path: "tool.name", key: "tool" }];
  if (spec.match !== undefined) compileOne(spec.match, noRegex, paths);
  return paths;
}

// Compiling a pattern costs more than everything else here, and says nothing about paths.
export const noRegex: RegexEngine = { compile: () => ({ test: () => false }) };

/** How a listing shows a match. */
export function describeMatch(match: Match | undefined): string | undefined {
  if (typeof match === "function") return match.name === "" ? "function" : `function ${match.name}`;
  return typeof match === "object" ? toJson(match) : match;
}

function compileOne(match: unknown, engine: RegexEngine, paths: PathUse[] = []): Predicate | undefined {
  if (typeof match === "string") return match.trim() === "*" ? undefined : compileExpression(match, engine, paths);
  if (typeof match === "function") return compileFunction(match as (payload: unknown, value: unknown) => unknown);
  if (match instanceof RegExp) throw badMatch("A regular expression stands in an expression: match: \"tool.input.command =~ '^git'\".");
  if (typeof match === "object" && match !== null && !Array.isArray(match)) return compileObject(match, paths);
  throw badMatch("match takes a string, an object or a function; a list of tools goes into tool.");
}

function compileFunction(match: (payload: unknown, value: unknown) => unknown): Predicate {
  return (payload, value) => {
    const answer = match(payload, value);
    if (answer instanceof Promise) throw refused(answer);
    return Boolean(answer);
  };
}

// Always truthy: such a function would silently match everything. The caller does not await it, so its rejection must not reach the process.
function refused(answer: Promise<unknown>): Error {
  answer.catch(() => {});
  return badMatch("A match function must answer at once, not with a promise.");
}
