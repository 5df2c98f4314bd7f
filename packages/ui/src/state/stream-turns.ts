/** How many streams the windows of a browser hold together. A browser opens six connections to a host, and each window needs one now and then to load something. */
const STREAMS = 3;

/** Browsers hand out locks only on this machine's own address, and over https. */
const locks = navigator.locks as LockManager | undefined;

export interface Turn {
  /** The window may have a stream now. */
  readonly hasBegun: boolean;
  /** Whether another window waits for this one. */
  isWanted(): Promise<boolean>;
  end(): void;
}

/** Asks for a turn to have a stream. Windows that wait get theirs in the order in which they asked; one that is closed makes room by itself. Without locks every window has a stream. */
export function takeTurn(begin: () => void): Turn {
  if (locks === undefined) {
    queueMicrotask(begin);
    return { hasBegun: true, isWanted: () => Promise.resolve(false), end() {} };
  }
  const from = locks;
  const ended = new AbortController();
  let name: string | undefined;
  let hasBegun = false;
  const wait = async (): Promise<void> => {
    name = await leastWanted(from);
    await from.request(name, { signal: ended.signal }, () => {
      hasBegun = true;
      begin();
      return new Promise<void>((resolve) => {
        if (ended.signal.aborted) resolve();
        else ended.signal.addEventListener("abort", () => resolve());
      });
    });
  };
  // A turn may be given up before it begins.
  wait().catch(() => {});
  return {
    get hasBegun() {
      return hasBegun && !ended.signal.aborted;
    },
    isWanted: async () => (await from.query()).pending?.some((lock) => lock.name === name) === true,
    end: () => ended.abort(),
  };
}

/** Of the locks, one for each stream, the one with the fewest windows: when windows have been closed, those that are left spread again. */
async function leastWanted(from: LockManager): Promise<string> {
  const { held = [], pending = [] } = await from.query();
  const names = Array.from({ length: STREAMS }, (_, index) => `hookline-stream-${index}`);
  const windows = (name: string): number => [...held, ...pending].filter((lock) => lock.name === name).length;
  return names.reduce((least, name) => (windows(name) < windows(least) ? name : least));
}
