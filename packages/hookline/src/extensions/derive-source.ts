import type { HandlerSource } from "./handler-source.js";

/** The same source but for what is given; what it says of itself stays what it says at the time. */
export function deriveSource(source: HandlerSource, changes: Partial<HandlerSource>): HandlerSource {
  return Object.create(source, Object.getOwnPropertyDescriptors(changes)) as HandlerSource;
}
