import { EventEmitter as NodeEmitter } from "node:events";
import Emittery from "emittery";
import eventemitter2 from "eventemitter2";
import { EventEmitter as EventEmitter3 } from "eventemitter3";
import { createHooks } from "hookable";
import mitt from "mitt";
import { createNanoEvents } from "nanoevents";
import { EventEmitter as TseepEmitter } from "tseep";
import { constantName, counted, emitteryObservers, type Name, names, payload, payloadObservers, subscribe } from "../workload.ts";
import type { Emitter } from "./contract.ts";

// Its types are those of the CommonJS build, where the function is a property.
const createMitt = mitt as unknown as typeof mitt.default;

const nodeEvents: Emitter<number> = {
  name: "node:events",
  role: "peer",
  open(observers) {
    const emitter = new NodeEmitter();
    subscribe(payloadObservers, observers, (name, observer) => emitter.on(name, observer));
    return {
      constant(iterations) {
        const before = counted();
        for (let i = 0; i < iterations; i++) emitter.emit(constantName, payload);
        return (counted() - before) | 0;
      },
      rotating(iterations) {
        const before = counted();
        for (let i = 0; i < iterations; i++) emitter.emit(names[i & 7] as Name, payload);
        return (counted() - before) | 0;
      },
    };
  },
};

const threeEvents: Emitter<number> = {
  name: "eventemitter3",
  role: "peer",
  open(observers) {
    const emitter = new EventEmitter3();
    subscribe(payloadObservers, observers, (name, observer) => emitter.on(name, observer));
    return {
      constant(iterations) {
        const before = counted();
        for (let i = 0; i < iterations; i++) emitter.emit(constantName, payload);
        return (counted() - before) | 0;
      },
      rotating(iterations) {
        const before = counted();
        for (let i = 0; i < iterations; i++) emitter.emit(names[i & 7] as Name, payload);
        return (counted() - before) | 0;
      },
    };
  },
};

const nanoEvents: Emitter<number> = {
  name: "nanoevents",
  role: "peer",
  open(observers) {
    const emitter = createNanoEvents();
    subscribe(payloadObservers, observers, (name, observer) => emitter.on(name, observer));
    return {
      constant(iterations) {
        const before = counted();
        for (let i = 0; i < iterations; i++) emitter.emit(constantName, payload);
        return (counted() - before) | 0;
      },
      rotating(iterations) {
        const before = counted();
        for (let i = 0; i < iterations; i++) emitter.emit(names[i & 7] as Name, payload);
        return (counted() - before) | 0;
      },
    };
  },
};

const mittEvents: Emitter<number> = {
  name: "mitt",
  role: "peer",
  open(observers) {
    const emitter = createMitt<Record<string, typeof payload>>();
    subscribe(payloadObservers, observers, (name, observer) => emitter.on(name, observer));
    return {
      constant(iterations) {
        const before = counted();
        for (let i = 0; i < iterations; i++) emitter.emit(constantName, payload);
        return (counted() - before) | 0;
      },
      rotating(iterations) {
        const before = counted();
        for (let i = 0; i < iterations; i++) emitter.emit(names[i & 7] as Name, payload);
        return (counted() - before) | 0;
      },
    };
  },
};

const tseepEvents: Emitter<number> = {
  name: "tseep",
  role: "peer",
  open(observers) {
    const emitter = new TseepEmitter();
    subscribe(payloadObservers, observers, (name, observer) => emitter.on(name, observer));
    return {
      constant(iterations) {
        const before = counted();
        for (let i = 0; i < iterations; i++) emitter.emit(constantName, payload);
        return (counted() - before) | 0;
      },
      rotating(iterations) {
        const before = counted();
        for (let i = 0; i < iterations; i++) emitter.emit(names[i & 7] as Name, payload);
        return (counted() - before) | 0;
      },
    };
  },
};

const twoEvents: Emitter<number> = {
  name: "eventemitter2",
  role: "peer",
  open(observers) {
    const emitter = new eventemitter2.EventEmitter2();
    subscribe(payloadObservers, observers, (name, observer) => emitter.on(name, observer));
    return {
      constant(iterations) {
        const before = counted();
        for (let i = 0; i < iterations; i++) emitter.emit(constantName, payload);
        return (counted() - before) | 0;
      },
      rotating(iterations) {
        const before = counted();
        for (let i = 0; i < iterations; i++) emitter.emit(names[i & 7] as Name, payload);
        return (counted() - before) | 0;
      },
    };
  },
};

const hookableHooks: Emitter<number> = {
  name: "hookable",
  role: "peer",
  open(observers) {
    const hooks = createHooks<Record<string, (argument: typeof payload) => void>>();
    subscribe(payloadObservers, observers, (name, observer) => hooks.hook(name, observer));
    return {
      constant(iterations) {
        const before = counted();
        for (let i = 0; i < iterations; i++) hooks.callHook(constantName, payload);
        return (counted() - before) | 0;
      },
      rotating(iterations) {
        const before = counted();
        for (let i = 0; i < iterations; i++) hooks.callHook(names[i & 7] as Name, payload);
        return (counted() - before) | 0;
      },
    };
  },
};

// Always asynchronous: it is measured as it is used, awaited one by one.
const emitteryEvents: Emitter = {
  name: "emittery",
  role: "peer",
  open(observers) {
    const emitter = new Emittery<Record<string, typeof payload>>();
    subscribe(emitteryObservers, observers, (name, observer) => emitter.on(name, observer));
    return {
      async constant(iterations) {
        const before = counted();
        for (let i = 0; i < iterations; i++) await emitter.emit(constantName, payload);
        return (counted() - before) | 0;
      },
      async rotating(iterations) {
        const before = counted();
        for (let i = 0; i < iterations; i++) await emitter.emit(names[i & 7] as Name, payload);
        return (counted() - before) | 0;
      },
    };
  },
};

export const synchronousPeers: readonly Emitter<number>[] = [
  nodeEvents,
  threeEvents,
  nanoEvents,
  mittEvents,
  tseepEvents,
  twoEvents,
  hookableHooks,
];
export const peers: readonly Emitter[] = [...synchronousPeers, emitteryEvents];
