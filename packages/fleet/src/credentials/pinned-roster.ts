import { join } from "node:path";
import { errorText, readPrivately, replacePrivately } from "@hookline/core/internal/machine";
import type { NatsConnection } from "@nats-io/transport-node";
import { fetchSignedRoster } from "./published-roster.js";
import { decodeRoster, encodeRoster, type Roster, type RosterPin, verifyRoster } from "./roster.js";

const FILE = "roster.b64";
const MAX_BYTES = 64 * 1024 * 1024;

export interface PinnedRosterOptions {
  /** `fleet` in the state folder. */
  readonly folder: string;
  readonly rootKey: string;
  readonly fleet: string;
  /** Of the invitation: it counts also if the file is gone. */
  readonly minSerial?: number | undefined;
  readonly onProblem: (text: string) => void;
}

/** The roster that this host trusts: the newest that it has seen. It survives a restart, also without the server. */
export interface PinnedRoster {
  /** Missing until one has arrived. */
  readonly roster: Roster | undefined;
  /** Reads the bucket. Throws for a roster that must not be used; then the one before stays. */
  refresh(connection: NatsConnection): Promise<void>;
}

export function openPinnedRoster({ folder, rootKey, fleet, minSerial, onProblem }: PinnedRosterOptions): PinnedRoster {
  let roster: Roster | undefined;
  let pin: RosterPin | undefined;
  try {
    const read = readPrivately(folder, FILE, { maxBytes: MAX_BYTES });
    if (read.state === "found") {
      const signed = decodeRoster(Buffer.from(read.bytes.toString("latin1"), "base64"));
      ({ roster, pin } = verifyRoster(signed, { rootKey, fleet, minSerial }));
    } else if (read.state !== "none") onProblem(`The roster in "${join(folder, FILE)}" cannot be used: ${read.reason}.`);
  } catch (error) {
    onProblem(`The roster in "${join(folder, FILE)}" cannot be used: ${errorText(error)}`);
  }
  return {
    get roster() {
      return roster;
    },
    async refresh(connection) {
      const found = await fetchSignedRoster(connection, { rootKey, fleet, pin, minSerial });
      if (found === undefined || found.pin.digest === pin?.digest) return;
      ({ roster, pin } = found);
      replacePrivately(folder, FILE, Buffer.from(encodeRoster(found.signed)).toString("base64"));
    },
  };
}
