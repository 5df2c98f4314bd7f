import { printable } from "../text/inert-text.js";
import { badMatch, type Place, quoteIt } from "./bad-match.js";

/** Runs the regular expressions. Use an engine that cannot backtrack if patterns come from files. */
export interface RegexEngine {
  compile(source: string): { test(text: string): boolean };
}

/** The platform's own. Many patterns in use, such as `[\w\-.]`, are not valid Unicode patterns: those run without the flag. */
export const nativeRegex: RegexEngine = {
  compile(source) {
    try {
      return new RegExp(source, "u");
    } catch {
      return new RegExp(source);
    }
  },
};

/** Turns what an engine rejects into an error that points at the pattern. */
export function compileRegex(engine: RegexEngine, source: string, place: Place): { test(text: string): boolean } {
  try {
    return engine.compile(source);
  } catch (cause) {
    const hint = /['"]/.test(place.text.charAt(place.at)) ? "" : ` ${quoteIt}`;
    throw badMatch(`${printable(cause instanceof Error ? cause.message : String(cause)).slice(0, 200)}.${hint}`, place, cause);
  }
}
