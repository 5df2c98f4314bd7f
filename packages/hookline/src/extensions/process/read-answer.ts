import { readOutcomes } from "@hookline/core/internal";
import type { SourceAnswer } from "../handler-source.js";

/**
 * An answer as it came over the wire, as the bus takes it. Outcomes are objects with a `kind`; everything else goes through as it is: the bus
 * knows what the event allows, and denies where somebody tried to decide and failed.
 */
export function readAnswer(given: unknown): SourceAnswer {
  if (given === null || given === undefined) return undefined;
  const isWritten = Array.isArray(given) ? given.some(isOutcomeFrame) : isOutcomeFrame(given);
  if (!isWritten) return given as SourceAnswer;
  const parts: readonly unknown[] = Array.isArray(given) ? given : [given];
  return parts.flatMap((part): readonly unknown[] => (isOutcomeFrame(part) ? readOutcomes(part) : [part])) as SourceAnswer;
}

function isOutcomeFrame(given: unknown): boolean {
  return typeof given === "object" && given !== null && Object.hasOwn(given, "kind");
}
