import { compileEventFilter } from "@hookline/core/internal/sinks";

/** Whether an event or a pattern, as a handler has it, is for the event of this name. */
export function covers(event: string, name: string): boolean {
  return event === name || (event.includes("*") && compileEventFilter(event)(name));
}
