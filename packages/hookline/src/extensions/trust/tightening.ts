import { isOutcome } from "@hookline/core";
import { deriveSource } from "../derive-source.js";
import type { HandlerSource, SourceAnswer } from "../handler-source.js";

const MAX_NESTING = 32;

/** A source that may tighten and never loosen: whatever a project's hook allows, it has no opinion on. `onAllow` hears of it. */
export function withoutAllow(source: HandlerSource, onAllow: (event: string) => void = () => {}): HandlerSource {
  return deriveSource(source, {
    async handle(event, hook) {
      let hasAllowed = false;
      const answer = strip(await source.handle(event, hook), 0, () => {
        hasAllowed = true;
      });
      if (hasAllowed) onAllow(event.name);
      return answer as SourceAnswer;
    },
  });
}

/** The same answer without its yes, wherever in it that stands. Deeper than the bus reads it is left to the bus to refuse. */
function strip(answer: unknown, depth: number, found: () => void): unknown {
  if (typeof answer !== "object" || answer === null || depth > MAX_NESTING) return answer;
  if (Array.isArray(answer)) return answer.map((part) => strip(part, depth + 1, found)).filter((part) => part !== undefined);
  if (isOutcome(answer)) {
    if (answer.kind !== "allow") return answer;
    found();
    return undefined;
  }
  const isYes = (answer as { readonly decision?: unknown }).decision === "allow";
  if (isYes) found();
  const kept = isYes ? withoutYes(answer as { readonly [key: string]: unknown }) : answer;
  const nested = Object.entries(kept).map(([key, value]) => [
    key,
    key === "then" || key === "effects" ? strip(value, depth + 1, found) : value,
  ]);
  return Object.fromEntries(nested);
}

function withoutYes({ decision: _decision, reason: _reason, ...rest }: { readonly [key: string]: unknown }): object {
  return rest;
}
