import { createBus } from "@hookline/core";
import { constantName, counted, eventObservers, type Name, names, payload, subscribe } from "../workload.ts";
import type { Emitter } from "./contract.ts";

export const byHandle: Emitter<number> = {
  name: "hookline, handle",
  role: "ours",
  open(observers) {
    const bus = createBus({ source: "bench" });
    subscribe(eventObservers, observers, (name, observer) => bus.on(name, observer));
    const handles = names.map((name) => bus.event(name));
    const handle = bus.event(constantName);
    return {
      constant(iterations) {
        const before = counted();
        for (let i = 0; i < iterations; i++) handle.emit(payload);
        return (counted() - before) | 0;
      },
      rotating(iterations) {
        const before = counted();
        for (let i = 0; i < iterations; i++) (handles[i & 7] as typeof handle).emit(payload);
        return (counted() - before) | 0;
      },
    };
  },
};

export const byName: Emitter<number> = {
  name: "hookline, by name",
  role: "ours",
  open(observers) {
    const bus = createBus({ source: "bench" });
    subscribe(eventObservers, observers, (name, observer) => bus.on(name, observer));
    return {
      constant(iterations) {
        const before = counted();
        for (let i = 0; i < iterations; i++) bus.emit(constantName, payload);
        return (counted() - before) | 0;
      },
      rotating(iterations) {
        const before = counted();
        for (let i = 0; i < iterations; i++) bus.emit(names[i & 7] as Name, payload);
        return (counted() - before) | 0;
      },
    };
  },
};
