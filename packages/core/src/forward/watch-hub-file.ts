import { type FSWatcher, statSync, watch as watchFolder } from "node:fs";
import { GATES_FILE, type GatesState, readGatesFile } from "./gates-file.js";
import { HUB_FILE, type HubState, readHubFile } from "./hub-file.js";

export interface HubWatch {
  /** What was last seen; at first what was there when the watch began, of which `onChange` is not told. */
  readonly sighting: HubSighting;
  close(): void;
}

// A rename and a write of one file come as several events.
const COALESCE_MS = 20;
// The store and the event log may stand in the same folder: a process is not to be woken for each of their writes.
const MAX_FOREIGN_EVENTS = 100;

/** Tells when a hub's files appear, change or go. Never throws and never keeps the process alive. */
export function watchHubFile(
  folder: string,
  onChange: (sighting: HubSighting) => void,
  { pollMs = 500 }: { readonly pollMs?: number } = {},
): HubWatch {
  let sighting = sightHub(folder);
  let soon: NodeJS.Timeout | undefined;
  let isClosed = false;

  const look = () => {
    clearTimeout(soon);
    soon = undefined;
    const next = sightHub(folder);
    if (isSame(sighting, next)) return;
    sighting = next;
    try {
      onChange(next);
    } catch {
      // The listener's own fault; the next change is told all the same.
    }
  };
  const lookSoon = () => {
    if (isClosed) return;
    soon ??= setTimeout(look, COALESCE_MS).unref();
  };
  const events = followFolder(folder, lookSoon);
  // Always, not only where events fail: network folders tell nothing.
  const poll = setInterval(() => {
    events.follow();
    look();
  }, periodOf(pollMs)).unref();

  return {
    get sighting() {
      return sighting;
    },
    close() {
      isClosed = true;
      clearInterval(poll);
      clearTimeout(soon);
      events.close();
    },
  };
}

/** File events for as long as the folder is there and quiet. `follow` finds it again after it was created again. */
function followFolder(folder: string, onEvent: () => void): { follow(): void; close(): void } {
  let watcher: FSWatcher | undefined;
  let inode: number | undefined;
  let foreign = 0;
  let isNoisy = false;

  const close = () => {
    watcher?.close();
    watcher = undefined;
  };
  const hear = (_: string, name: string | null) => {
    if (name === null || SIGHTED_FILES.includes(name)) return onEvent();
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
      // No such folder, or no more watches to be had: polling goes on.
      close();
    }
  };
  follow();
  return { follow, close };
}

function periodOf(pollMs: number): number {
  return Number.isFinite(pollMs) ? Math.min(Math.max(pollMs, 10), 60_000) : 500;
}

// A restart of the hub changes its token and instance, so what is written says enough.
function isSame(one: HubSighting, other: HubSighting): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** What a state folder says of a hub: where it is, and what it guards. */
export interface HubSighting {
  readonly hub: HubState;
  readonly gates: GatesState;
}

/** The files a sighting is made of. */
export const SIGHTED_FILES: readonly string[] = [HUB_FILE, GATES_FILE];

/** Looks at both files. Never throws. */
export function sightHub(folder: string): HubSighting {
  const hub = readHubFile(folder);
  const gates = readGatesFile(folder);
  // A hub writes its gates first and removes them last. If they are missing, it may have gone between the two looks.
  return hub.state === "found" && gates.state === "none" ? { hub: readHubFile(folder), gates: readGatesFile(folder) } : { hub, gates };
}
