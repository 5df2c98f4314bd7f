import type { FleetHost } from "hookline/internal/fleet";
import { readPresence } from "../nats/presence-message.js";
import type { HostMarks } from "./host-marks.js";

interface Known {
  seenAt?: number;
  presence?: { readonly [field: string]: unknown };
  clockAheadMs?: number;
  /** The store that the host sends from now. */
  store?: string;
  stored: number;
  again: number;
  missing: number;
}

export interface HostTableOptions {
  readonly marks: HostMarks;
  /** A host that is silent for longer counts as away. */
  readonly awayMs: number;
}

/** What a fleet hub knows of the hosts: from their presence, and from what it stores of them. */
export class HostTable {
  readonly #options: HostTableOptions;
  readonly #hosts = new Map<string, Known>();

  constructor(options: HostTableOptions) {
    this.#options = options;
    for (const { host } of options.marks.list()) this.#of(host);
  }

  /** A host has told that it is there. */
  present(host: string, data: Uint8Array, seenAt = Date.now()): void {
    const presence = readPresence(data);
    if (presence === undefined) return;
    const known = this.#of(host);
    known.seenAt = seenAt;
    known.presence = presence;
    const { at, store } = presence;
    if (typeof store === "string") known.store = store;
    if (typeof at === "number" && Number.isFinite(at)) known.clockAheadMs = Math.round(at - seenAt);
  }

  /** A message with so many events was stored. `isNew`: it was not sent before. */
  stored({ host, store }: { readonly host: string; readonly store: string }, count: number, isNew: boolean): void {
    const known = this.#of(host);
    known.store = store;
    if (isNew) known.stored += count;
    else known.again += count;
  }

  missing(host: string, count: number): void {
    this.#of(host).missing += count;
  }

  /** Whether this is the store that the host sends from, as far as this hub knows. */
  isCurrent(host: string, store: string): boolean {
    const known = this.#of(host).store;
    return known === undefined || known === store;
  }

  /** The hosts that this hub knows. */
  names(): Iterable<string> {
    return this.#hosts.keys();
  }

  /** What a host says the fleet has confirmed to it. */
  confirmedTo(host: string): { readonly store: string; readonly position: number } | undefined {
    const { store, confirmed } = this.#hosts.get(host)?.presence ?? {};
    return typeof store === "string" && Number.isSafeInteger(confirmed) ? { store, position: Number(confirmed) } : undefined;
  }

  list(now = Date.now()): readonly FleetHost[] {
    return [...this.#hosts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, known]) => this.#row(name, known, now));
  }

  #row(name: string, known: Known, now: number): FleetHost {
    const { seenAt, presence, clockAheadMs, stored, again, missing } = known;
    const isPresent = seenAt !== undefined && now - seenAt < this.#options.awayMs && presence?.state !== "left";
    const position = this.#position(name, known.store);
    const last = presence?.last;
    return {
      name,
      isPresent,
      position,
      stored,
      duplicates: again,
      missing,
      ...(seenAt !== undefined && { seenAt }),
      ...(presence !== undefined && { presence }),
      ...(clockAheadMs !== undefined && { clockAheadMs }),
      ...(isPresent && typeof last === "number" && { behind: Math.max(0, last - position) }),
    };
  }

  #position(name: string, store: string | undefined): number {
    const { marks } = this.#options;
    if (store !== undefined) return marks.position(name, store);
    return Math.max(0, ...[...marks.list()].filter(({ host }) => host === name).map(({ position }) => position));
  }

  #of(host: string): Known {
    let known = this.#hosts.get(host);
    if (known === undefined) {
      known = { stored: 0, again: 0, missing: 0 };
      this.#hosts.set(host, known);
    }
    return known;
  }
}
