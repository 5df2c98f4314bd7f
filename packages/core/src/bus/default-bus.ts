import { type Bus, createBus } from "./bus.js";

// On globalThis under a registered symbol, so that two copies of the package in one process share it.
const KEY = Symbol.for("hookline.defaultBus");
const holder = globalThis as { [KEY]?: Bus };

/** The process's bus. Look it up at each use: it may have been replaced. */
export function getDefaultBus(): Bus {
  holder[KEY] ??= createBus();
  return holder[KEY];
}

/** Replaces the process's bus; returns the one before. */
export function setDefaultBus(bus: Bus): Bus | undefined {
  const before = holder[KEY];
  holder[KEY] = bus;
  return before;
}
