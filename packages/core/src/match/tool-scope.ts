import { type Match, type MatchSpec, noRegex } from "./compile.js";
import { type Parts, parseExpression } from "./expression.js";
import { compileObject } from "./object.js";
import type { PathUse } from "./path.js";
import { allOf, always, anyOf, not, type Predicate } from "./predicate.js";
import { nativeRegex, type RegexEngine } from "./regex.js";
import { parseTerm } from "./term.js";
import { compileToolFilter, isNamePath } from "./tool-filter.js";

/** The names of a tool, known before it is called. */
export interface ToolNames {
  readonly name: string;
  readonly runtimeName?: string | undefined;
}

/** Whether a handler can match any call of a tool: false for a filter or an expression that names other tools. Throws `HL_BAD_MATCH`. */
export function compileToolScope({ tool, match }: MatchSpec, engine: RegexEngine = nativeRegex): (tool: ToolNames) => boolean {
  const named = tool === undefined ? undefined : compileToolFilter(tool);
  const other = typeof match === "string" ? compileExpressionScope(match, engine) : compileObjectScope(match);
  return (names) => (named?.({ tool: names }) ?? true) && (other?.({ tool: names }) ?? true);
}

/** For a tool: whether the expression can hold, and whether it can fail. */
interface Scope {
  readonly canHold: Predicate;
  readonly canFail: Predicate;
}

const scopes: Parts<Scope> = {
  term(cursor) {
    const other = { ...cursor, engine: noRegex, paths: [] };
    parseTerm(other);
    const [use] = other.paths as readonly PathUse[];
    if (use !== undefined && !isNamePath(use.path)) {
      cursor.at = other.at;
      return { canHold: always, canFail: always };
    }
    const holds = parseTerm(cursor);
    return { canHold: holds, canFail: not(holds) };
  },
  all: (parts) => ({ canHold: allOf(parts.map(({ canHold }) => canHold)), canFail: anyOf(parts.map(({ canFail }) => canFail)) }),
  any: (parts) => ({ canHold: anyOf(parts.map(({ canHold }) => canHold)), canFail: allOf(parts.map(({ canFail }) => canFail)) }),
  not: ({ canHold, canFail }) => ({ canHold: canFail, canFail: canHold }),
};

function compileExpressionScope(text: string, engine: RegexEngine): Predicate {
  return parseExpression({ text, engine, paths: [], at: 0, depth: 0 }, scopes).canHold;
}

function compileObjectScope(match: Exclude<Match, string> | undefined): Predicate | undefined {
  if (typeof match !== "object") return undefined;
  const { tool, where = {} } = match;
  const names = Object.fromEntries(Object.entries(where).filter(([path]) => isNamePath(path)));
  return compileObject({ ...(tool !== undefined && { tool }), where: names });
}
