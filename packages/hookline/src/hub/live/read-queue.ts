import { searchSlices, timeSlices } from "./time-slices.js";

/** A client that waits for a read. */
interface Asker {
  readonly isOpen: boolean;
}

export interface ReadQueue {
  /** The result of the read, when its turn comes; `undefined` if all its clients have gone. Clients that ask for the same while it waits share it. */
  ask<T>(key: string, asker: Asker, read: () => Promise<T>): Promise<T | undefined>;
}

interface Waiting {
  readonly askers: Asker[];
  readonly result: Promise<unknown>;
  start(): Promise<void>;
}

/** How often is looked whether there is room again. */
const RETRY_MS = 50;

/** Reads from the store one at a time, so that appends never queue behind many, and only while there is room for what is read. */
export function createReadQueue(hasRoom: () => boolean): ReadQueue {
  // In the order they were asked for.
  const waiting = new Map<string, Waiting>();
  let isReading = false;
  let timer: NodeJS.Timeout | undefined;

  function next(): void {
    const [first] = waiting;
    if (first === undefined || isReading || timer !== undefined) return;
    if (!hasRoom()) return retryLater();
    const [key, { start }] = first;
    // From here on no client joins: a later request may have to see events that were stored in between.
    waiting.delete(key);
    isReading = true;
    void start().finally(() => {
      isReading = false;
      next();
    });
  }

  function retryLater(): void {
    timer = setTimeout(() => {
      timer = undefined;
      next();
    }, RETRY_MS).unref();
  }

  return {
    ask<T>(key: string, asker: Asker, read: () => Promise<T>): Promise<T | undefined> {
      const known = waiting.get(key);
      known?.askers.push(asker);
      if (known !== undefined) return known.result as Promise<T | undefined>;
      const entry = createEntry(asker, read);
      waiting.set(key, entry);
      next();
      return entry.result as Promise<T | undefined>;
    },
  };
}

function createEntry(asker: Asker, read: () => Promise<unknown>): Waiting {
  const askers = [asker];
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const result = begun.then(() => (askers.some(({ isOpen }) => isOpen) ? read() : undefined));
  async function start(): Promise<void> {
    begin();
    const isRead = await result.then(
      (found) => found !== undefined,
      () => false,
    );
    if (!isRead) return;
    // Its askers have it in hand before the next is read, however many they are.
    await new Promise((resolve) => setImmediate(resolve));
    await searchSlices.run([]);
    await timeSlices.run([]);
  }
  return { askers, result, start };
}
