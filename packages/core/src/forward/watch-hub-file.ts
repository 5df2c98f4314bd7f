import { watchSignature } from "../machine/watch.js";
import { GATES_FILE, type GatesState, readGatesFile } from "./gates-file.js";
import { HUB_FILE, type HubState, readHubFile } from "./hub-file.js";

export interface HubWatch {
  /** What was last seen; at first what was there when the watch began, of which `onChange` is not told. */
  readonly sighting: HubSighting;
  close(): void;
}

// A rename and a write of one file come as several events. Each file is replaced whole, so more patience is not needed.
const SETTLE_MS = 20;

/** Tells when a hub's files appear, change or go. Never throws and never keeps the process alive. */
export function watchHubFile(
  folder: string,
  onChange: (sighting: HubSighting) => void,
  { pollMs = 500 }: { readonly pollMs?: number } = {},
): HubWatch {
  let sighting = sightHub(folder);
  let next = sighting;
  const watch = watchSignature({
    // A restart of the hub changes its token and instance, so what is written says enough.
    signature: () => {
      next = sightHub(folder);
      return JSON.stringify(next);
    },
    before: JSON.stringify(sighting),
    onChange() {
      if (JSON.stringify(next) === JSON.stringify(sighting)) return;
      sighting = next;
      try {
        onChange(sighting);
      } catch {
        // A listener that throws is told of the next change all the same.
      }
    },
    files: { folder, names: SIGHTED_FILES },
    pollMs,
    settleMs: SETTLE_MS,
    patienceMs: SETTLE_MS,
  });
  return {
    get sighting() {
      return sighting;
    },
    close: () => watch.close(),
  };
}

/** What a state folder says of a hub: where it is, and what it guards. */
export interface HubSighting {
  readonly hub: HubState;
  readonly gates: GatesState;
}

/** The files a sighting is made of. */
const SIGHTED_FILES: readonly string[] = [HUB_FILE, GATES_FILE];

/** Looks at both files. Never throws. */
export function sightHub(folder: string): HubSighting {
  const hub = readHubFile(folder);
  const gates = readGatesFile(folder);
  // A hub writes its gates first and removes them last. If they are missing, it may have gone between the two looks.
  return hub.state === "found" && gates.state === "none" ? { hub: readHubFile(folder), gates: readGatesFile(folder) } : { hub, gates };
}
