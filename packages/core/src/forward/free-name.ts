import type { Bus } from "../bus/bus.js";

/** A name for a handler of ours that the host has not given to one of its own: `hub`, `hub-2`, … */
export function freeName(bus: Pick<Bus, "list">, event: string, name: string): string {
  const taken = namesOn(bus, event);
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name}-${number}`;
  return free;
}

/** The names of the host's own handlers for an event. */
function namesOn(bus: Pick<Bus, "list">, event: string): ReadonlySet<string> {
  const rows = bus.list().filter((row) => row.event === event && row.owner === undefined);
  return new Set(rows.map(({ name }) => name));
}
