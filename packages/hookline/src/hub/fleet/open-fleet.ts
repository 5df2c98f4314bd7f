import { join } from "node:path";
import { errorText, HookError } from "@hookline/core";
import { openFolder, readPrivately } from "@hookline/core/internal/machine";
import type { BundlePolicy } from "../bundles/bundle-policy.js";
import type { HubRecord } from "../lifecycle/hub-record.js";
import type { FleetApprovals, FleetPart, FleetPolicy, FleetPort, FleetSettings } from "./fleet-port.js";
import { loadFleet } from "./load-fleet.js";

const FOLDER = "fleet";
const FILE = "fleet.json";
const MAX_BYTES = 256 * 1024;

export interface FleetOptions {
  readonly state: string;
  readonly version: string;
  readonly record: Pick<HubRecord, "store" | "ingest" | "onStored">;
  readonly policy: FleetPolicy & Pick<BundlePolicy, "rejoin">;
  readonly approvals: FleetApprovals;
  readonly onProblem: (text: string) => void;
}

/** The hub's place in a fleet. */
export interface Fleet {
  /** Missing in a hub that has not joined a fleet. */
  readonly settings: FleetSettings | undefined;
  /** Missing also while the package is loaded. */
  readonly part: FleetPart | undefined;
  /** Reads `fleet.json` again: joins, changes or leaves. Rejects if the package is missing or the file cannot be used. */
  follow(): Promise<void>;
  close(): Promise<void>;
}

/** Takes part in the fleet that `fleet/fleet.json` in the state folder names, if there is one. A hub without the file loads nothing. */
export function openFleet(options: FleetOptions): Fleet {
  let settings: FleetSettings | undefined;
  let part: FleetPart | undefined;
  let isClosed = false;
  let turn: Promise<void> = Promise.resolve();

  async function change(): Promise<void> {
    await part?.close();
    part = undefined;
    settings = isClosed ? undefined : readSettings(options.state);
    if (settings === undefined) return;
    const { startHost, startFleetHub } = await loadFleet();
    const port = await createPort(options);
    if (!isClosed) part = (settings.role === "hub" ? startFleetHub : startHost)(port, settings);
  }

  function follow(): Promise<void> {
    const next = turn.then(change);
    turn = next.catch(() => {});
    return next;
  }

  follow().catch((error: unknown) => options.onProblem(`This hub takes no part in its fleet: ${errorText(error)}`));
  /** An operator has joined or left: what the fleet's policy says counts from now on, or no more. */
  async function followAgain(): Promise<void> {
    try {
      await follow();
    } finally {
      await options.policy.rejoin();
    }
  }

  return {
    get settings() {
      return settings;
    },
    get part() {
      return part;
    },
    follow: followAgain,
    close() {
      isClosed = true;
      return follow();
    },
  };
}

async function createPort({ state, version, record, policy, approvals, onProblem }: FleetOptions): Promise<FleetPort> {
  const { store, ingest, onStored } = record;
  const storeId = await store.fact("store");
  if (storeId === undefined) throw new HookError("HL_STORE_FAILED", "The store has no id.");
  return {
    version,
    folder: openFolder(join(state, FOLDER)),
    onProblem,
    policy,
    approvals,
    events: {
      storeId,
      after: (position, limit, maxChars) => store.after(position, {}, limit, maxChars),
      lastPosition: store.lastPlace,
      onStored,
      accept: ingest.acceptFleet,
      append: ingest.append,
      mark: store.cursor,
      marks: store.cursors,
      setMark: store.setCursor,
    },
  };
}

/** Missing for a hub that has not joined. */
function readSettings(state: string): FleetSettings | undefined {
  const read = readPrivately(join(state, FOLDER), FILE, { maxBytes: MAX_BYTES });
  if (read.state === "none") return undefined;
  const value: unknown = read.state === "found" ? parsed(read.bytes) : undefined;
  const { role, fleet, name, urls, seed } = Object(value) as Partial<FleetSettings>;
  const isWhole =
    (role === "host" || role === "hub") && [fleet, name, seed].every((text) => typeof text === "string") && Array.isArray(urls);
  if (isWhole) return value as FleetSettings;
  throw new HookError("HL_FLEET_CREDENTIALS", `"${join(state, FOLDER, FILE)}" cannot be used.`, { fix: { run: "hookline fleet join" } });
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}
