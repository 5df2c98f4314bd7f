import type { Bus } from "../bus/bus.js";
import type { HandlerHealth, HandlerInfo } from "../bus/types.js";
import type { HubLink } from "./hub-link.js";

const MAX_HANDLERS = 2_000;

/** Tells the hub what is registered on a bus, with its counters. */
export function reportHandlers(bus: Bus, link: HubLink | undefined): void {
  const stats = new Map(bus.stats().map(({ id, event: _event, name: _name, owner: _owner, ...own }) => [id, own]));
  const handlers = bus
    .list()
    .slice(0, MAX_HANDLERS)
    .map(({ health, ...info }) => ({ ...info, health: readHealth(health), stats: stats.get(info.id) }));
  link?.write(`${JSON.stringify({ type: "handlers", handlers })}\n`);
}

// It is the handler's own code.
function readHealth(health: HandlerInfo["health"]): HandlerHealth | undefined {
  try {
    return health?.();
  } catch {
    return { state: "unknown" };
  }
}
