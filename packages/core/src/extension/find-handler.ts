import { isPattern, patternMatches, resolveEvent, spelledOut } from "../catalog/names.js";
import type { ExtensionHandler } from "./options.js";

/** Finds the handler of an event. Throws `HL_UNKNOWN_EVENT` for a hook that could never be asked. */
export function createFinder(hooks: object): (event: string) => ExtensionHandler | undefined {
  const exact = new Map<string, ExtensionHandler>();
  const patterns: [string, ExtensionHandler][] = [];
  for (const [written, handler] of Object.entries(hooks) as [string, ExtensionHandler][]) {
    const event = spelledOut(written);
    if (isPattern(event)) patterns.push([event, handler]);
    else exact.set(resolveEvent(event).name, handler);
  }
  // The longer, the narrower.
  patterns.sort(([a], [b]) => b.length - a.length);
  return (event) => exact.get(event) ?? patterns.find(([pattern]) => patternMatches(pattern, event))?.[1];
}
