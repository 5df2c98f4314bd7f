import { catalog, findEvent } from "@hookline/core";
import { compileEventFilter } from "@hookline/core/internal/sinks";

/** The events of the catalogue that a name or a pattern means. Who asks for everything (`*`) wants nothing in particular: none. */
export function coveredEvents(event: string): readonly string[] {
  const name = event.trim();
  if (!name.includes("*")) return [findEvent(name)?.name ?? name];
  return name === "*" ? [] : Object.keys(catalog).filter(compileEventFilter(name));
}
