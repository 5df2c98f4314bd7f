import type { Bus } from "../bus/bus.js";
import type { HandlerHealth, HandlerInfo } from "../bus/types.js";
import type { HubConnectionCounters } from "./hub-connection.js";
import type { HubLink } from "./hub-link.js";

const PERIOD_MS = 1_000;

/** Tells the hub what became of the events, once a second where that has changed. */
export class CounterFrames {
  readonly #read: () => HubConnectionCounters;
  #last = "";
  #timer: NodeJS.Timeout | undefined;

  constructor(read: () => HubConnectionCounters) {
    this.#read = read;
  }

  attach(link: HubLink): void {
    this.#last = "";
    this.#tell(link);
    this.#timer = setInterval(() => this.#tell(link), PERIOD_MS).unref();
  }

  detach(): void {
    clearInterval(this.#timer);
  }

  #tell(link: HubLink): void {
    const { accepted, acked, pending, dropped, seq } = this.#read();
    const text = JSON.stringify({ type: "counters", accepted, acked, pending, dropped, seq });
    // A hub that stands still is not to find a heap of them.
    if (text === this.#last || link.unwritten > 0) return;
    this.#last = text;
    link.write(`${text}\n`);
  }
}

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
