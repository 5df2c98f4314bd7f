/** Something that reads what others write. Each file of `targets/` is one, and `targets.ts` lists them. */
export interface FuzzTarget {
  readonly name: string;
  /** Good inputs, and nearly good ones, that mutations begin with. */
  readonly samples: readonly string[];
  /** Parts of its language that mutations put in. */
  readonly words: readonly string[];
  open(): Promise<Subject>;
}

/** A target at work. */
export interface Subject {
  /** Takes an input. Returns what is wrong with the answer, or nothing. A throw counts as a crash. */
  feed(input: Buffer): string | undefined | Promise<string | undefined>;
  /** CPU time of the process that reads, in milliseconds. */
  cpuMs(): number;
  /** Bytes that are in use there after a collection. */
  usedBytes(): number | Promise<number>;
  close(): Promise<void>;
}

/** For readers that are functions: they run in this process. */
export function inProcess(feed: Subject["feed"]): Subject {
  return {
    feed,
    cpuMs: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000;
    },
    usedBytes: () => {
      (globalThis as { gc?: () => void }).gc?.();
      return process.memoryUsage().heapUsed;
    },
    close: async () => {},
  };
}
