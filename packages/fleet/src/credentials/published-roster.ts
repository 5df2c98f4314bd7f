import type { NatsConnection } from "@nats-io/transport-node";
import { putValue, readValues } from "../nats/policy-keys.js";
import { ROSTER_KEY } from "../nats/subjects.js";
import {
  decodeRoster,
  encodeRoster,
  type Roster,
  type RosterTrust,
  type SignedRoster,
  type VerifiedRoster,
  verifyRoster,
} from "./roster.js";

interface PublishedRoster extends VerifiedRoster {
  readonly signed: SignedRoster;
}

/** Puts the roster on the server, whatever is there. */
export async function publishRoster(connection: NatsConnection, signed: SignedRoster): Promise<void> {
  const { revision } = await readValues(connection, ROSTER_KEY);
  await putValue(connection, ROSTER_KEY, encodeRoster(signed), { revision, isSame: () => true });
}

/** The newest roster on the server that is to be trusted; `undefined` if there is none at all. Throws if there is only another. */
export async function fetchSignedRoster(connection: NatsConnection, trust: RosterTrust): Promise<PublishedRoster | undefined> {
  const found: PublishedRoster[] = [];
  let refusal: unknown;
  for (const value of (await readValues(connection, ROSTER_KEY)).values)
    try {
      const signed = decodeRoster(value);
      found.push({ ...verifyRoster(signed, trust), signed });
    } catch (error) {
      refusal = error;
    }
  const [newest] = found.sort((a, b) => b.pin.serial - a.pin.serial);
  if (newest === undefined && refusal !== undefined) throw refusal;
  return newest;
}

/** The same, only the roster. */
export async function fetchRoster(connection: NatsConnection, { rootKey, fleet }: RosterTrust): Promise<Roster | undefined> {
  return (await fetchSignedRoster(connection, { rootKey, fleet }))?.roster;
}
