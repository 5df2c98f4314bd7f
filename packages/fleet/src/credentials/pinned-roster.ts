import { join } from "node:path";
import { errorText, readPrivately, replacePrivately } from "@hookline/core/internal/machine";
import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { bucketStream, buckets, ROSTER_KEY, subjects } from "../nats/subjects.js";
import { decodeRoster, encodeRoster, type Roster, type RosterPin, type SignedRoster, verifyRoster } from "./roster.js";

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
  const take = (signed: SignedRoster): void => {
    ({ roster, pin } = verifyRoster(signed, { rootKey, fleet, pin, minSerial }));
  };
  try {
    const read = readPrivately(folder, FILE, { maxBytes: MAX_BYTES });
    if (read.state === "found") take(decodeRoster(Buffer.from(read.bytes.toString("latin1"), "base64")));
    else if (read.state !== "none") onProblem(`The roster in "${join(folder, FILE)}" cannot be used: ${read.reason}.`);
  } catch (error) {
    onProblem(`The roster in "${join(folder, FILE)}" cannot be used: ${errorText(error)}`);
  }
  return {
    get roster() {
      return roster;
    },
    async refresh(connection) {
      const manager = await jetstreamManager(connection, { checkAPI: false });
      const subject = subjects.key(buckets.policy, ROSTER_KEY);
      const found = await manager.direct.getMessage(bucketStream(buckets.policy), { last_by_subj: subject });
      if (found === null || found.data.length === 0) return;
      const before = pin?.digest;
      const signed = decodeRoster(found.data);
      take(signed);
      if (pin?.digest !== before) replacePrivately(folder, FILE, Buffer.from(encodeRoster(signed)).toString("base64"));
    },
  };
}
