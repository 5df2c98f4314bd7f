import { join } from "node:path";
import { errorText, HookError } from "@hookline/core";
import { openFolder, readPrivately } from "@hookline/core/internal/machine";
import type { AlarmReport } from "../alarms/alarms.js";
import type { BundlePolicy } from "../bundles/bundle-policy.js";
import type { HubRecord } from "../lifecycle/hub-record.js";
import { openStore } from "../store/open-store.js";
import type { Store } from "../store/store.js";
import type { FleetApprovals, FleetPart, FleetPolicy, FleetPort, FleetSettings } from "./fleet-port.js";
import { loadFleet } from "./load-fleet.js";

const FOLDER = "fleet";
const FILE = "fleet.json";
const MAX_BYTES = 256 * 1024;
/** The fact in the store: the fleet that an operator has joined. */
const FACT = "fleet";
const JOIN = "hookline fleet join <invitation>";

/** Every process of the user can write `fleet.json`, so the hub uses it only if it names what an operator has joined. */
export interface JoinedFleet {
  /** What an operator has joined as; missing in a hub that is in no fleet. */
  readonly role: FleetSettings["role"] | undefined;
  /** What is in `fleet.json`. Throws if it cannot be used, or is not what an operator has joined. */
  settings(): FleetSettings | undefined;
  /** An operator has joined what `fleet.json` says, or has left. */
  accept(): Promise<void>;
}

export async function openJoinedFleet(state: string, store: Pick<Store, "fact" | "setFact">): Promise<JoinedFleet> {
  let accepted = await store.fact(FACT);
  return {
    get role() {
      return accepted === undefined ? undefined : (JSON.parse(accepted) as Pick<FleetSettings, "role">).role;
    },
    settings() {
      const found = readSettings(state);
      if ((found && identityOf(found)) === accepted) return found;
      const path = join(state, FOLDER, FILE);
      const what =
        found === undefined
          ? `"${path}" is gone, and no operator has left the fleet.`
          : `"${path}" names the fleet ${JSON.stringify(found.fleet).slice(0, 80)} with a root key, roster serial, name or role that no operator of this hub has joined.`;
      throw new HookError("HL_FLEET_CREDENTIALS", what, { fix: { run: JOIN } });
    },
    async accept() {
      const found = readSettings(state);
      accepted = found && identityOf(found);
      await store.setFact(FACT, accepted);
    },
  };
}

/** What `fleet join` and `fleet leave` do while no hub runs. */
export async function acceptFleetFile(folders: { readonly state: string; readonly data: string }): Promise<void> {
  const store = await openStore(join(openFolder(folders.data), "events.db"), { ballastBytes: 0 });
  try {
    await (await openJoinedFleet(folders.state, store)).accept();
  } finally {
    await store.close();
  }
}

function identityOf({ fleet, rootKey, rosterSerial, name, role }: FleetSettings): string {
  return JSON.stringify({ fleet, rootKey, rosterSerial, name, role });
}

export interface FleetOptions {
  readonly state: string;
  readonly version: string;
  readonly record: Pick<HubRecord, "store" | "ingest" | "onStored">;
  readonly policy: FleetPolicy & Pick<BundlePolicy, "rejoin">;
  readonly approvals: FleetApprovals;
  readonly joined: JoinedFleet;
  readonly alarm: (report: AlarmReport) => void;
  readonly onProblem: (text: string) => void;
}

/** The hub's place in a fleet. */
export interface Fleet {
  /** Missing in a hub that has not joined a fleet. */
  readonly settings: FleetSettings | undefined;
  /** Missing also while the package is loaded. */
  readonly part: FleetPart | undefined;
  /**
   * For an operator: reads `fleet.json` again, and joins, changes or leaves. A credential is stored first, and `null` removes the stored one. Rejects if the
   * package is missing or the file cannot be used.
   */
  follow(credential?: object | null): Promise<void>;
  close(): Promise<void>;
}

/** Takes part in the fleet that `fleet/fleet.json` in the state folder names, if an operator has joined it. A hub without the file loads nothing. */
export function openFleet(options: FleetOptions): Fleet {
  let settings: FleetSettings | undefined;
  let part: FleetPart | undefined;
  let isClosed = false;
  let turn: Promise<void> = Promise.resolve();

  async function change(): Promise<void> {
    await part?.close();
    part = undefined;
    settings = undefined;
    settings = isClosed ? undefined : options.joined.settings();
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

  follow().catch((error: unknown) => {
    options.onProblem(`This hub takes no part in a fleet: ${errorText(error)}`);
    if (error instanceof HookError && error.code === "HL_FLEET_CREDENTIALS")
      options.alarm({ kind: "tampered", text: `This hub takes no part in a fleet: ${error.message}`, fix: error.fix });
  });
  /** An operator has joined or left: what the fleet's policy says counts from now on, or no more. */
  async function followAgain(credential?: object | null): Promise<void> {
    if (credential !== undefined) {
      const { keepCredential } = await loadFleet();
      keepCredential(openFolder(join(options.state, FOLDER)), credential);
    }
    try {
      await options.joined.accept();
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
  const { role, fleet, name, urls, seed, rootKey } = Object(value) as Partial<FleetSettings>;
  const isWhole =
    (role === "host" || role === "hub") && [fleet, name, seed, rootKey].every((text) => typeof text === "string") && Array.isArray(urls);
  if (isWhole) return value as FleetSettings;
  throw new HookError("HL_FLEET_CREDENTIALS", `"${join(state, FOLDER, FILE)}" cannot be used.`, { fix: { run: JOIN } });
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}
