import type { HandlerSource } from "./handler-source.js";

/** The same source with some members replaced. Its properties are read from the original each time. */
export function deriveSource<S extends HandlerSource>(source: S, changes: Partial<S>): S {
  return Object.create(source, Object.getOwnPropertyDescriptors(changes)) as S;
}
