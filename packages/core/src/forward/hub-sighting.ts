import { GATES_FILE, type GatesState, readGatesFile } from "./gates-file.js";
import { HUB_FILE, type HubState, readHubFile } from "./hub-file.js";

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
