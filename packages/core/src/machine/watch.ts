import { type FSWatcher, statSync, watch as watchFolder } from "node:fs";

export interface Watch {
  close(): void;
}

export interface WatchOptions {
  /** A short text about what is watched: a different text is a change. Must not throw. */
  readonly signature: () => string;
  /** The text that is known already. A change since then is reported, too. */
  readonly before: string;
  /** Called once a change has settled. */
  readonly onChange: () => void;
  /** Files whose events are followed besides the poll. */
  readonly files?: { readonly folder: string; readonly names: readonly string[] };
  readonly pollMs?: number;
  /** How long the text must stay the same. Half of a file can be valid, with half of the rules. With 0, each change is reported when it is seen. */
  readonly settleMs?: number;
  /** After this time a change is reported even if the text still changes, because a file that always changes must not hide other changes. */
  readonly patienceMs?: number;
}

// The store and the event log may be in the same folder, and their writes must not wake the process each time.
const MAX_FOREIGN_EVENTS = 100;

/** Reports when a text changes that describes something on the disk. Never throws, and does not keep the process alive. */
export function watchSignature(options: WatchOptions): Watch {
  const { signature, onChange, files, pollMs = 400, settleMs = 80, patienceMs = 2_000 } = options;
  let seen = options.before;
  let changedAt = 0;
  let settling: NodeJS.Timeout | undefined;
  let isClosed = false;

  function look(): void {
    if (isClosed || settling !== undefined) return;
    const now = signature();
    if (now === seen) return;
    if (settleMs === 0) {
      seen = now;
      return onChange();
    }
    changedAt = performance.now();
    wait(now);
  }
  function wait(now: string): void {
    seen = now;
    settling = setTimeout(settled, settleMs).unref();
  }
  function settled(): void {
    settling = undefined;
    const now = signature();
    if (now !== seen && performance.now() - changedAt < patienceMs) return wait(now);
    onChange();
  }

  const events = files === undefined ? undefined : followFiles(files, look);
  // Polls always, because network folders send no events.
  const poll = setInterval(() => {
    events?.follow();
    look();
  }, periodOf(pollMs)).unref();
  return {
    close() {
      isClosed = true;
      clearInterval(poll);
      clearTimeout(settling);
      events?.close();
    },
  };
}

/** Passes on file events while the folder exists and is quiet. `follow` finds a folder that was replaced. */
function followFiles({ folder, names }: NonNullable<WatchOptions["files"]>, onEvent: () => void): { follow(): void; close(): void } {
  let watcher: FSWatcher | undefined;
  let inode: number | undefined;
  let foreign = 0;
  let isNoisy = false;

  const close = () => {
    watcher?.close();
    watcher = undefined;
  };
  const hear = (_: string, name: string | null) => {
    if (name === null || names.includes(name)) return onEvent();
    foreign += 1;
    if (foreign <= MAX_FOREIGN_EVENTS) return;
    isNoisy = true;
    close();
  };
  const follow = () => {
    foreign = 0;
    if (isNoisy) return;
    try {
      const seen = statSync(folder).ino;
      if (watcher !== undefined && seen === inode) return;
      close();
      inode = seen;
      watcher = watchFolder(folder, { persistent: false }, hear).on("error", close);
    } catch {
      // The folder is missing, or the system has no watches left: polling continues.
      close();
    }
  };
  follow();
  return { follow, close };
}

function periodOf(pollMs: number): number {
  return Number.isFinite(pollMs) ? Math.min(Math.max(pollMs, 10), 60_000) : 500;
}
