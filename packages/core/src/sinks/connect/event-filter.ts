import { isPattern, patternMatches, resolveEvent, spelledOut } from "../../catalog/names.js";

/** Compiles names, in any spelling, and patterns (`tool:*`, `*`). Throws for an unknown name or a malformed pattern. */
export function compileEventFilter(events: string | readonly string[] = "*"): (name: string) => boolean {
  const given = (typeof events === "string" ? [events] : [...events]).map(spelledOut);
  const patterns = given.filter(isPattern);
  const names = new Set(given.filter((event) => !patterns.includes(event)).map((event) => resolveEvent(event).name));
  if (patterns.includes("*")) return () => true;
  const known = new Map<string, boolean>();
  return (name) => {
    let answer = known.get(name);
    if (answer === undefined) {
      answer = names.has(name) || patterns.some((pattern) => patternMatches(pattern, name));
      if (known.size < MAX_KNOWN) known.set(name, answer);
    }
    return answer;
  };
}

/** Names of the host's own making may have no end. */
const MAX_KNOWN = 1_000;
