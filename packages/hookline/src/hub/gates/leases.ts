import type { HubFrame, PrefilterData } from "@hookline/core/internal/wire";

/** How long a process may act on what it was told, without a word from the hub. */
export const LEASE_MS = 1_000;

interface Frame {
  readonly [key: string]: unknown;
}

/** The lease of one process. */
export interface LeaseLine {
  /** `lease` or `unleased`. */
  hear(frame: Frame): void;
  /** The connection is over. The process may not have noticed: its lease still has to expire. */
  close(): void;
}

export interface Leases {
  open(tell: (frame: HubFrame) => void): LeaseLine;
  /** The guards have changed. Processes that act on others are told at once. */
  renew(): void;
  /** Resolves when no process acts on guards that are no longer in force: each has confirmed, or its lease has expired. */
  settled(): Promise<void>;
}

/** What one process was given: when each version ends, by the clock that runs. The process counts from its request, so for it a lease ends earlier. */
interface Holder {
  readonly tell: (frame: HubFrame) => void;
  readonly ends: Map<string, number>;
  isOver: boolean;
}

/** Hands processes the prefilter of the guards in force, each time for a second at most. */
export function createLeases(read: () => PrefilterData, now: () => number = () => performance.now()): Leases {
  const holders = new Set<Holder>();
  const waiting = new Set<() => void>();
  let current: PrefilterData | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** When the leases of other versions than the one in force end, by holder. */
  function outdated(): Map<Holder, number> {
    const left = new Map<Holder, number>();
    for (const holder of holders) {
      for (const [version, endsAt] of holder.ends) {
        if (endsAt <= now()) holder.ends.delete(version);
        else if (version !== current?.version) left.set(holder, Math.max(endsAt, left.get(holder) ?? 0));
      }
      if (holder.isOver && holder.ends.size === 0) holders.delete(holder);
    }
    return left;
  }

  /** Tells those that wait, or looks again when the next lease has expired. */
  function check(): void {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.size === 0) return;
    const left = outdated();
    if (left.size > 0) {
      timer = setTimeout(check, Math.max(1, Math.ceil(Math.min(...left.values()) - now())));
      return;
    }
    for (const resolve of waiting) resolve();
    waiting.clear();
  }

  function renew(): void {
    const next = read();
    if (next.version === current?.version) return;
    current = next;
    for (const { tell } of outdated().keys()) tell({ type: "unlease", version: next.version });
    check();
  }

  function hear(holder: Holder, { type, n, version }: Frame): void {
    // A new lease is always for the guards in force, even before a change was announced.
    renew();
    const prefilter = current as PrefilterData;
    const { version: newest } = prefilter;
    if (type === "unleased" && version === newest) {
      // What was granted after the process was told to stop, it has ignored.
      holder.ends.clear();
      check();
    } else if (type === "lease" && typeof n === "number") {
      holder.ends.set(newest, now() + LEASE_MS);
      holder.tell({ type: "leased", n, version: newest, ms: LEASE_MS, ...(version !== newest && { prefilter }) });
    }
  }

  return {
    renew,
    open(tell) {
      const holder: Holder = { tell, ends: new Map(), isOver: false };
      holders.add(holder);
      return {
        hear: (frame) => hear(holder, frame),
        close() {
          holder.isOver = true;
          outdated();
        },
      };
    },
    settled: () =>
      new Promise((resolve) => {
        waiting.add(resolve);
        check();
      }),
  };
}
