import { HookError } from "@hookline/core";
import type { Accepted, Arrival, Ingest, Refusal } from "../parts.js";
import { type Store, TAKEN } from "../store/store.js";
import type { Marks } from "../store/writer.js";
import { createAcceptor, isRefusal } from "./accept.js";
import { createRequestOrigins, type Origin, openOrigin } from "./origins.js";
import { ownIdOf } from "./own-source.js";

export interface IngestOptions {
  readonly instance: string;
  readonly store: Pick<Store, "append" | "identify" | "ownerOf">;
  /** Told of what is new, after the commit and in the order of places. */
  readonly onStored: (arrivals: readonly Arrival[]) => void;
}

/** The one way into the store. What `append` has resolved for is on disk. */
export function createIngest({ instance, store, onStored }: IngestOptions): Ingest {
  const acceptor = createAcceptor(instance);
  const hubOrigin = openOrigin("hub");
  const withOrigin = (result: Accepted | Refusal, origin: Origin | undefined): Accepted | Refusal =>
    isRefusal(result) || origin === undefined ? result : { ...result, origin };
  // What fails here is written with the next event of that origin.
  const identify = (origin: Origin): void => void store.identify(origin).catch(() => {});
  const counters = { received: 0, stored: 0, duplicates: 0, renamed: 0, refused: {} as Record<string, number>, failed: 0 };
  let pending = 0;
  let isDiskFull = false;
  let isStoreFailed = false;

  function counted(result: ReturnType<Ingest["accept"]>): ReturnType<Ingest["accept"]> {
    counters.received++;
    if (isRefusal(result)) counters.refused[result.code] = (counters.refused[result.code] ?? 0) + 1;
    return result;
  }

  async function append(events: readonly Accepted[], marks?: Marks, isSecond = false): Promise<{ stored: number; duplicates: number }> {
    pending += events.length;
    try {
      const places = await store.append(events, marks);
      isDiskFull = isStoreFailed = false;
      const settled = settle(events, places);
      if (!places.includes(TAKEN)) return settled;
      const displaced = events.flatMap((event, index) =>
        places[index] === TAKEN && event.isReported === true ? [withOwnId(event, isSecond)] : [],
      );
      if (displaced.length === 0) return settled;
      const { stored } = await append(displaced, undefined, true);
      if (!isSecond) counters.renamed += stored;
      counters.duplicates -= displaced.length;
      return { stored: settled.stored + stored, duplicates: settled.duplicates - stored };
    } catch (error) {
      isDiskFull = error instanceof HookError && error.code === "HL_DISK_FULL";
      isStoreFailed = !isDiskFull;
      counters.failed += events.length;
      throw error;
    } finally {
      pending -= events.length;
    }
  }

  function settle(events: readonly Accepted[], places: readonly number[]): { stored: number; duplicates: number } {
    const arrivals: Arrival[] = [];
    let stored = 0;
    for (let index = 0; index < events.length; index++) {
      const place = places[index] as number;
      if (place <= 0) continue;
      const { envelope, body, isImported, host } = events[index] as Accepted;
      stored++;
      // No hook, no stream and no sink reacts to what happened long ago.
      if (isImported !== true) arrivals.push(host === undefined ? { place, envelope, body } : { place, envelope, body, host });
    }
    const duplicates = events.length - stored;
    counters.stored += stored;
    counters.duplicates += duplicates;
    if (arrivals.length > 0) onStored(arrivals);
    return { stored, duplicates };
  }

  return {
    accept(line, origin) {
      const result = counted(acceptor.line(line));
      if (isRefusal(result)) return result;
      const { envelope, body } = result;
      return origin === undefined ? { envelope, body, isReported: true } : { envelope, body, isReported: true, origin };
    },
    acceptMade: (line, origin) => withOrigin(counted(acceptor.made(line)), origin),
    acceptEnvelope: (envelope) => counted(acceptor.envelope(envelope)),
    check(envelope) {
      const result = acceptor.envelope(envelope);
      return isRefusal(result) ? result : undefined;
    },
    checkSource: acceptor.source,
    acceptFleet(line, host) {
      const result = counted(acceptor.fleet(line));
      return isRefusal(result) ? result : { ...result, host };
    },
    acceptOwn: (envelope, line) => withOrigin(counted(acceptor.own(envelope, line)), hubOrigin),
    hubOrigin,
    requestOrigins: createRequestOrigins(identify),
    identify,
    ownerOf: (instance) => store.ownerOf(instance),
    append: (events, marks) => append(events, marks),
    counters,
    get pending() {
      return pending;
    },
    get isDiskFull() {
      return isDiskFull;
    },
    get isStoreFailed() {
      return isStoreFailed;
    },
  };
}

/** Its process has an id for each of its own. Of several events under one id, each has one by its text. */
function withOwnId({ envelope, body, origin }: Accepted, isSecond: boolean): Accepted {
  const id = ownIdOf(envelope.source.instance, isSecond ? `${envelope.id} ${body}` : envelope.id);
  return {
    ...(origin !== undefined && { origin }),
    isReported: true,
    envelope: { ...envelope, id },
    body: JSON.stringify({ ...JSON.parse(body), id }),
  };
}
