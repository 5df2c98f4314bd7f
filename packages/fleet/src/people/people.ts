import { errorText, HookError } from "@hookline/core/internal/machine";
import type { NatsConnection } from "@nats-io/transport-node";
import type { FleetPart, FleetPeople, FleetPerson, FleetPort, FleetSettings } from "hookline/internal/fleet";
import { readHubCredential } from "../credentials/joined.js";
import { openPinnedRoster } from "../credentials/pinned-roster.js";
import type { Roster } from "../credentials/roster.js";
import { readAudit, recordAudit } from "../nats/audit.js";
import type { Link } from "../nats/link.js";
import { buckets, ROSTER_KEY, subjects } from "../nats/subjects.js";
import { mayAnswer } from "../questions/answer.js";
import type { OpenQuestions } from "../questions/open-questions.js";
import { PASSKEY_MADE } from "./enrolment.js";
import { giveAnswer } from "./give-answer.js";
import { followEnrolments, type OpenEnrolments } from "./open-enrolments.js";

const PERIOD_MS = 60_000;

interface Server {
  readonly connection: NatsConnection;
  readonly questions: OpenQuestions;
  readonly enrolments: OpenEnrolments;
}

/** The people of the fleet at a fleet hub. What they are, the roster says that it trusts, also while the server is away. */
export interface HubPeople extends Required<Pick<FleetPart, "people">> {
  /** The server is there. Returns how to stop. */
  connected(connection: NatsConnection, link: Link, questions: OpenQuestions): { close(): void };
}

export function openPeople(port: FleetPort, { name: hub, fleet, rootKey, rosterSerial }: FleetSettings): HubPeople {
  const { folder, onProblem, approvals } = port;
  const pinned = openPinnedRoster({ folder, rootKey, fleet, minSerial: rosterSerial, onProblem });
  let server: Server | undefined;

  function online(): Server {
    if (server !== undefined) return server;
    throw new HookError("HL_FLEET_SERVER", "This fleet hub has no connection to the fleet's server.");
  }

  function known(): Roster {
    if (pinned.roster !== undefined) return pinned.roster;
    throw new HookError("HL_FLEET_ROSTER", "This fleet hub has no roster yet.", { fix: { run: "hookline fleet doctor" } });
  }

  const people: FleetPeople = {
    find: (name) => personOf(pinned.roster, (person) => person.name === name),
    withPasskey: (id) => personOf(pinned.roster, ({ passkeys }) => passkeys.some((passkey) => passkey.id === id)),
    get vouches() {
      return pinned.roster?.hubs.some(({ name, vouches }) => name === hub && vouches) === true;
    },
    async answer(given) {
      const { connection, questions } = online();
      // A person who was removed a moment ago must not answer.
      await pinned.refresh(connection);
      const credential = () => readHubCredential(folder);
      await giveAnswer(given, { connection, hub, roster: known(), questions: questions.list(), approvals, credential });
    },
    audit: async (limit) => [...(await readAudit(online().connection, limit))].reverse(),
    enrolment: (id) => server?.enrolments.find(id),
    async enrol(id, made) {
      const { connection, enrolments } = online();
      const found = enrolments.find(id);
      if (found === undefined || !enrolments.take(id))
        throw new HookError("HL_NOT_FOUND", "This link is used, too old, or of another fleet.", {
          fix: "Ask the fleet's admin for a new one: hookline fleet people enrol <name>",
        });
      await recordAudit(connection, { kind: "hub", name: hub }, { action: PASSKEY_MADE, subject: found.person, details: { id, ...made } });
    },
  };

  return {
    people,
    connected(connection, link, questions) {
      const report = (what: string) => (error: unknown) => {
        if (link.isUp) onProblem(`${what}: ${errorText(error)}`);
      };
      const enrolments = followEnrolments(connection, () => pinned.roster);
      const look = () => pinned.refresh(connection).catch(report("The roster was not read"));
      const begin = () => void look().then(enrolments.read).catch(report("The audit was not read"));
      server = { connection, questions, enrolments };
      const hint = connection.subscribe(subjects.key(buckets.policy, ROSTER_KEY), { callback: () => void look() });
      const timer = setInterval(() => void look(), PERIOD_MS).unref();
      link.onUp(begin);
      begin();
      return {
        close() {
          server = undefined;
          clearInterval(timer);
          enrolments.close();
          if (!connection.isClosed()) hint.unsubscribe();
        },
      };
    },
  };
}

function personOf(roster: Roster | undefined, is: (person: Roster["people"][number]) => boolean): FleetPerson | undefined {
  const found = roster?.people.find(is);
  return found && { name: found.name, role: found.role, mayAnswer: mayAnswer(roster, found.name), passkeys: found.passkeys };
}
