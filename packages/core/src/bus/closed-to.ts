import type { Registration } from "./registration.js";

/** By default only gates are closed: a logger of `tool:*` that throws must not withhold every result. */
export function isClosed({ parts: { onFailure, saysOnFailure } }: Registration): boolean {
  return saysOnFailure && onFailure !== "open";
}

/** Whether a handler fails closed and is for this tool, whatever else it looks at: that may be in what it cannot see. */
export function isClosedTo(registration: Registration, payload: unknown): boolean {
  const { toolFilter } = registration.parts;
  return isClosed(registration) && (toolFilter === undefined || toolFilter(payload));
}
