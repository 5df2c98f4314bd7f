import type { Match } from "@hookline/core";
import { checkPath, type PathUse, pathsIn } from "@hookline/core/internal";
import { findFactFault } from "./command/expression-facts.js";

/** What is wrong with a path in a rule or hook, and where it is written. */
export interface PathProblem {
  /** The key, or the key and the path below it. */
  readonly key: readonly [string, ...string[]];
  /** The offset in the text of the key. */
  readonly at?: number;
  /** A warning: it cannot be verified here. */
  readonly severity: "error" | "warning";
  readonly message: string;
}

interface Paths {
  readonly events: readonly string[];
  readonly match?: Match | undefined;
  readonly tool?: string | readonly string[] | undefined;
  readonly set?: { readonly [path: string]: unknown } | undefined;
  /** Whether `command.program` and the like can be read: in rules. */
  readonly hasFacts?: boolean;
}

/**
 * Every path that one of the events must have: those that a match reads and those that a rewrite sets. Empty for a match that cannot be
 * compiled, which is reported elsewhere.
 */
export function findPathProblems({ events, match, tool, set = {}, hasFacts = false }: Paths): PathProblem[] {
  const read = usesOf(match, tool).flatMap((use) =>
    hasFacts && use.path.startsWith("command.") ? factProblem(use, events) : problemOf(use, keyOf(use), events),
  );
  const written = Object.keys(set).flatMap((path) => problemOf({ path }, ["set", path], events));
  return [...read, ...written];
}

/** Facts are there for calls of tools. */
function factProblem({ path, place }: PathUse, events: readonly string[]): PathProblem[] {
  const message = findFactFault(path) ?? checkPath("tool.name", events)?.message;
  return message === undefined ? [] : [{ key: ["match"], severity: "error", message, ...(place !== undefined && { at: place.at }) }];
}

function problemOf({ path, place, key }: PathUse, where: PathProblem["key"], events: readonly string[]): PathProblem[] {
  const fault = checkPath(path, events);
  if (fault === undefined) return [];
  const message = key === undefined ? fault.message : `it reads the tool: ${fault.message}`;
  return [{ key: where, severity: fault.severity, message, ...(place !== undefined && { at: place.at }) }];
}

/** `tool` is a separate key, also within a match; the paths of `where` are below it. */
function keyOf({ key, place, path }: PathUse): PathProblem["key"] {
  if (key === "tool") return ["tool"];
  if (key !== undefined) return ["match", key];
  return place === undefined ? ["match", "where", path] : ["match"];
}

function usesOf(match: Paths["match"], tool: Paths["tool"]): readonly PathUse[] {
  try {
    return pathsIn({ match, tool });
  } catch {
    return [];
  }
}
