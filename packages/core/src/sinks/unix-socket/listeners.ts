import type { ConnectionState, FrameListener, StateListener } from "./connection.js";
import { type ProtocolFault, parseFrame } from "./frames.js";

interface IntakeCounters {
  framesIn: number;
  readonly protocolErrors: Record<ProtocolFault, number>;
}

/** Who hears of a connection. A listener that throws is as good as one that waited for nothing. */
export class Listeners {
  readonly frame = new Set<FrameListener>();
  readonly state = new Set<StateListener>();
  readonly #counters: IntakeCounters;

  constructor(counters: IntakeCounters) {
    this.#counters = counters;
  }

  tell(state: ConnectionState, cause: unknown): void {
    for (const listener of [...this.state]) quietly(() => listener(state, cause));
  }

  /** Offers the frame on a line to one listener after the other until one claims it. */
  read(line: string): void {
    const frame = parseFrame(line);
    if (typeof frame === "string") return this.fault(frame);
    this.#counters.framesIn++;
    const isClaimed = [...this.frame].some((listener) => quietly(() => listener(frame)) === true);
    if (!isClaimed) this.fault("unexpected");
  }

  fault(fault: ProtocolFault): void {
    this.#counters.protocolErrors[fault]++;
  }
}

/** Adds a listener; gives back what takes it off. */
export function listen<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

// It runs inside a socket's event, where an exception would end the process.
function quietly<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}
