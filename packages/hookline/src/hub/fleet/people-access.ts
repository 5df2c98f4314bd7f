import type { IncomingMessage } from "node:http";
import type { FleetConfig } from "../../config/config.js";
import { peerOf } from "../auth/peer.js";
import { isLoopback } from "../auth/remote-approvals.js";
import { Refused } from "../http/refused.js";
import type { DashboardLogins } from "../parts.js";
import type { PasskeyPlace } from "../protect/passkeys.js";
import type { Passkey } from "../protect/settings.js";
import type { FleetPeople, FleetPerson } from "./fleet-port.js";

/** A person of the fleet, and how the hub knows that it is them. */
export interface SignedInPerson extends FleetPerson {
  readonly by: "passkey" | "proxy";
}

/** How people of the fleet sign in to a fleet hub's dashboard. A hub without a fleet refuses them. */
export interface PeopleAccess {
  /** Missing in a hub that is not a fleet hub. */
  readonly people: FleetPeople | undefined;
  /** The person, if the roster has them now. */
  signedIn(name: string, by: SignedInPerson["by"]): SignedInPerson | undefined;
  /** The person whom the trusted proxy names. Throws 403 if another sender does. */
  namedByProxy(incoming: IncomingMessage): Promise<string | undefined>;
  /** What proves this person's answers at this origin; nothing if they cannot answer there. */
  answersWith(person: SignedInPerson, origin: string): "passkey" | "hub" | undefined;
  /** Whether passkeys work at this origin: the dashboard's own name, or its public one. */
  hasPlace(origin: string): boolean;
  /** Such an origin, with the name that passkeys are for. Throws 400 elsewhere, and 404 in a hub that is not a fleet hub. */
  place(origin: string): PasskeyPlace;
  /** The person who has this passkey, and their passkeys of this origin. */
  withPasskey(id: string, origin: string): { readonly person: FleetPerson; readonly passkeys: readonly Passkey[] } | undefined;
  /** Told when this person is no longer on the roster; returns how to stop. */
  onGone(name: string, listener: () => void): () => void;
  close(): void;
}

export interface PeopleAccessOptions {
  /** Of the fleet, as it is at the moment. */
  readonly people: () => FleetPeople | undefined;
  readonly settings: FleetConfig;
  /** The dashboard's public origin. */
  readonly publicOrigin: string | undefined;
  /** The dashboard's own name; `undefined` while links cannot use it. */
  readonly dashboardName: () => string | undefined;
  readonly logins: Pick<DashboardLogins, "keepPeople">;
}

/** The roster changes rarely, and a stream of a person who was removed must end soon. */
const LOOK_MS = 5_000;

export function openPeopleAccess({ people, settings, publicOrigin, dashboardName, logins }: PeopleAccessOptions): PeopleAccess {
  const watched = new Set<{ readonly name: string; readonly listener: () => void }>();
  const { personHeader, proxy, proxyUser } = settings;

  function look(): void {
    const known = people();
    // While the package is loaded, the roster is not known, and requests of people are refused.
    if (known === undefined) return;
    const isThere = (name: string): boolean => known.find(name) !== undefined;
    logins.keepPeople(isThere);
    for (const one of [...watched]) if (!isThere(one.name)) one.listener();
  }
  const timer = setInterval(look, LOOK_MS).unref();

  function signedIn(name: string, by: SignedInPerson["by"]): SignedInPerson | undefined {
    const found = people()?.find(name);
    return found && { ...found, by };
  }

  function rpIdAt(origin: string): string | undefined {
    const { hostname } = new URL(origin);
    return hostname === dashboardName() || origin === publicOrigin ? hostname : undefined;
  }

  return {
    get people() {
      return people();
    },
    signedIn,
    async namedByProxy(incoming) {
      if (personHeader === undefined) return undefined;
      const given = incoming.headers[personHeader.toLowerCase()];
      if (given === undefined) return undefined;
      if (proxy === undefined || !(await isProxy(incoming, proxy, proxyUser)))
        throw new Refused(403, "HL_FOREIGN_REQUEST", `Only the proxy of this dashboard may send the header "${personHeader}".`, {
          fix: "Call the dashboard by its public address.",
        });
      return String(given);
    },
    answersWith({ mayAnswer, passkeys, by }, origin) {
      if (!mayAnswer) return undefined;
      const rpId = rpIdAt(origin);
      if (passkeys.some((passkey) => passkey.rpId === rpId)) return "passkey";
      return by === "proxy" && people()?.vouches === true ? "hub" : undefined;
    },
    hasPlace: (origin) => rpIdAt(origin) !== undefined,
    place(origin) {
      if (people() === undefined) throw new Refused(404, "HL_NOT_FOUND", "This hub is not a fleet hub.");
      const rpId = rpIdAt(origin);
      if (rpId !== undefined) return { origin, rpId };
      throw new Refused(400, "HL_BAD_REQUEST", "Passkeys work only at the dashboard's own address or its public one.", {
        fix: { run: "hookline open" },
      });
    },
    withPasskey(id, origin) {
      const rpId = rpIdAt(origin);
      const person = people()?.withPasskey(id);
      const own = (person?.passkeys ?? []).filter((passkey) => passkey.rpId === rpId);
      const passkeys = own.map((passkey) => ({ ...passkey, counter: 0, transports: [], name: "", addedAt: "" }));
      return person && { person, passkeys };
    },
    onGone(name, listener) {
      const one = { name, listener };
      watched.add(one);
      return () => void watched.delete(one);
    },
    close: () => clearInterval(timer),
  };
}

/** Whether the connection comes from the proxy's address and, on this machine, from its user: every program here has the address. */
async function isProxy({ socket }: IncomingMessage, address: string, user: number | undefined): Promise<boolean> {
  if (plain(socket.remoteAddress ?? "") !== plain(address)) return false;
  const peer = await peerOf(socket);
  if (user === undefined) return peer.kind === "remote" && !isLoopback(address);
  return (peer.kind === "local" || peer.kind === "foreign") && peer.user === user;
}

function plain(address: string): string {
  return address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, "");
}
