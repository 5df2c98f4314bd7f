import { type FSWatcher, statSync, watch as watchFolder } from "node:fs";
import { basename, dirname } from "node:path";
import { errorText } from "@hookline/core";
import type { LoadedConfig } from "./config.js";
import { parseConfig } from "./load-config.js";
import { readConfigFile } from "./read-config-file.js";

export interface ConfigWatch {
  /** Looks now, and resolves when what is there has been told. */
  check(): Promise<void>;
  close(): void;
}

export interface WatchOptions {
  readonly onChange: (loaded: LoadedConfig) => void;
  /** The file cannot be read, or is gone: what it said last goes on. */
  readonly onFault: (fault: string) => void;
  /** How long a file must be left alone before it is read; and after which time it is read all the same. */
  readonly settleMs?: number;
  readonly patienceMs?: number;
  readonly pollMs?: number;
}

/** Tells when `hookline.toml` says something else. A burst of writes is one change, or few. Never keeps the process alive. */
export function watchConfig(path: string, options: WatchOptions): ConfigWatch {
  const { onChange, onFault, settleMs = 80, patienceMs = 600, pollMs = 400 } = options;
  let signature = signatureOf(path);
  let seen = textOf(path);
  let firstAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  let isClosed = false;

  async function look(): Promise<void> {
    if (isClosed) return;
    const before = signatureOf(path);
    const text = textOf(path);
    // Somebody was writing meanwhile: half a file may be a whole one with half the rules.
    if (signatureOf(path) !== before) return lookSoon();
    signature = before;
    if (text.content === seen.content && text.fault === seen.fault) return;
    seen = text;
    if (text.content === undefined) return onFault(text.fault);
    const loaded = await parseConfig(text.content, path);
    if (!isClosed) onChange(loaded);
  }
  function check(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    firstAt = 0;
    // One after the other, so that an older version never comes after a newer one.
    running = running.then(look).catch((error: unknown) => onFault(errorText(error)));
    return running;
  }
  function lookSoon(): void {
    if (isClosed) return;
    const now = performance.now();
    if (firstAt === 0) firstAt = now;
    clearTimeout(timer);
    timer = setTimeout(check, Math.max(0, Math.min(settleMs, firstAt + patienceMs - now))).unref();
  }

  const events = followFolder(path, lookSoon);
  const poll = setInterval(() => {
    events.follow();
    if (timer === undefined && signatureOf(path) !== signature) lookSoon();
  }, pollMs).unref();
  return {
    check,
    close() {
      isClosed = true;
      clearInterval(poll);
      clearTimeout(timer);
      events.close();
    },
  };
}

interface Seen {
  readonly content: string | undefined;
  readonly fault: string;
}

function textOf(path: string): Seen {
  const read = readConfigFile(path);
  if (read === undefined) return { content: undefined, fault: "The file is gone." };
  return "fault" in read ? { content: undefined, fault: read.fault } : { content: read.text, fault: "" };
}

function signatureOf(path: string): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? "" : `${stats.ino}-${stats.size}-${stats.mtimeNs}-${stats.ctimeNs}`;
}

/** File events for as long as there is a folder; `follow` finds it when it comes. The poll sees what they miss. */
function followFolder(path: string, onEvent: () => void): { follow(): void; close(): void } {
  let watcher: FSWatcher | undefined;
  const close = (): void => {
    watcher?.close();
    watcher = undefined;
  };
  const follow = (): void => {
    if (watcher !== undefined) return;
    try {
      const name = basename(path);
      watcher = watchFolder(dirname(path), { persistent: false }, (_, changed) => {
        if (changed === null || changed === name) onEvent();
      }).on("error", close);
    } catch {
      close();
    }
  };
  follow();
  return { follow, close };
}
