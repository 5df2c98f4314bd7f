import { catalog, type EventSpec, families, findEvent } from "@hookline/core";
import { compileEventFilter } from "@hookline/core/sinks";

/** What the failure of a hook from a file means unless it says so itself: a guard that could have blocked has not let it pass. */
export function defaultFailureMode(event: string): "open" | "closed" {
  return specsOf(event).some(canBlock) ? "closed" : "open";
}

function specsOf(event: string): EventSpec[] {
  const exact = findEvent(event);
  if (exact !== undefined) return [exact.spec];
  const covers = compileEventFilter(event);
  const named = Object.entries(catalog).filter(([name]) => covers(name));
  const open = Object.entries(families).filter(([namespace]) => covers(`${namespace}:x`));
  return [...named, ...open].map(([, spec]) => spec);
}

function canBlock({ kind, outcomes }: EventSpec): boolean {
  return kind === "gate" && outcomes.includes("block");
}
