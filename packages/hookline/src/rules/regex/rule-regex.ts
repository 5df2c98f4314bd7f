import type { Match, RegexEngine } from "@hookline/core";
import { compileMatch } from "@hookline/core/internal";
import { linearRegex } from "../linear-regex.js";
import { requiredLiterals } from "./required-literals.js";

/** The engine for rules: linear time, and called only for texts that contain what the pattern requires. */
export const ruleRegex: RegexEngine = withPrefilter(linearRegex);

/** Throws `HL_BAD_MATCH` for an invalid `match` or `tool` of a rule, including a pattern that needs backtracking. */
export function compileRuleMatch({ match, tool }: { readonly match?: string; readonly tool?: string | readonly string[] }): void {
  compileMatch({ match, tool }, ruleRegex);
}

/** Selects events by their payload alone. */
export type Scope = (payload: unknown) => boolean;

/** A match that never holds outside its scope. */
export function within(scope: Scope | undefined, match: Match | undefined): Match | undefined {
  if (scope === undefined) return match;
  const matches = compileMatch({ match }, ruleRegex);
  if (matches === undefined) return scope;
  return (payload, value) => scope(payload) && matches(payload, value);
}

function withPrefilter(engine: RegexEngine): RegexEngine {
  return {
    compile(source) {
      const compiled = engine.compile(source);
      const required = requiredLiterals(source);
      if (required === undefined) return compiled;
      const mayMatch = required.isFolded ? inLowerCase(contains(required.literals)) : contains(required.literals);
      return { test: (text) => mayMatch(text) && compiled.test(text) };
    },
  };
}

type TextTest = (text: string) => boolean;

function contains(literals: readonly string[]): TextTest {
  const [first = "", second] = literals;
  if (second === undefined) return (text) => text.includes(first);
  return (text) => {
    for (let i = 0; i < literals.length; i++) if (text.includes(literals[i] as string)) return true;
    return false;
  };
}

// Many rules test the same text, so it is converted to lower case once.
let lastText = "";
let lastLower = "";

function inLowerCase(test: TextTest): TextTest {
  return (text) => {
    if (text !== lastText) {
      lastText = text;
      lastLower = text.toLowerCase();
    }
    return test(lastLower);
  };
}
