import { errorText } from "@hookline/core/internal/machine";
import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { FleetPart, FleetPort, FleetSettings } from "hookline/internal/fleet";
import { whenConnected } from "../nats/connected-part.js";
import { PRESENCE_TTL_MS } from "../nats/streams.js";
import { allParts, bucketStream, buckets, partOf, subjects } from "../nats/subjects.js";
import { openPeople } from "../people/people.js";
import { followQuestions } from "../questions/open-questions.js";
import { createConfirmations } from "./confirmations.js";
import { HostMarks } from "./host-marks.js";
import { HostTable } from "./host-table.js";
import { releasePart } from "./part-owner.js";
import { PartReader } from "./part-reader.js";
import { createResendRequests } from "./resend-requests.js";

/** Makes a hub a fleet hub: it brings the events of the hosts into its store. */
export function startFleetHub(port: FleetPort, settings: FleetSettings): FleetPart {
  const { events, onProblem, version } = port;
  const { name: hub, parts = allParts } = settings;
  const people = openPeople(port, settings);
  const part = whenConnected(settings, { name: `hookline fleet hub ${hub}`, onProblem }, async (connection, link) => {
    const marks = await HostMarks.load(events);
    const hosts = new HostTable({ marks, awayMs: PRESENCE_TTL_MS });
    const questions = followQuestions(connection, link, (error) =>
      onProblem(`The questions of the hosts were not read: ${errorText(error)}`),
    );
    const signedIn = people.connected(connection, link, questions);
    const confirmations = createConfirmations(connection, hub);
    const resends = createResendRequests(connection);
    const release = async (): Promise<void> => {
      const manager = await jetstreamManager(connection, { checkAPI: false });
      const others = allParts.filter((part) => !parts.includes(part));
      // A part that another hub is to read instead. Without the bucket there is nothing to release.
      await Promise.all(others.map((part) => releasePart(connection, manager, part, hub).catch(() => {})));
    };
    void release();
    const common = { connection, hub, events, marks, hosts, confirmations, resends, onProblem };
    const readers = new Map(parts.map((part) => [part, new PartReader({ ...common, part })]));
    link.onUp(() => {
      for (const reader of readers.values()) reader.reconnected();
    });
    const present = (subject: string, data: Uint8Array, seenAt?: number): void => {
      const host = subject.split(".").at(-1) ?? "";
      hosts.present(host, data, seenAt);
      readers.get(partOf(host))?.compare(host);
    };
    const presence = connection.subscribe(subjects.key(buckets.hosts, "*"), {
      callback: (_, { subject, data }) => present(subject, data),
    });
    void readPresence(connection, present);
    link.onUp(() => void readPresence(connection, present));
    return {
      status: () => ({
        version,
        parts,
        resends: resends.count,
        faults: Object.fromEntries([...readers].flatMap(([part, { error }]) => (error === undefined ? [] : [[part, error]]))),
      }),
      hosts: () => hosts.list(),
      questions: () => questions.list(),
      async close() {
        presence.unsubscribe();
        signedIn.close();
        questions.close();
        await Promise.all([...readers.values()].map((reader) => reader.close()));
        confirmations.close();
      },
    };
  });
  return { ...part, people: people.people };
}

/** The hosts that told before this hub listened. The server gives no more than 1,024; other hosts tell again within half a minute. */
async function readPresence(
  connection: NatsConnection,
  present: (subject: string, data: Uint8Array, seenAt: number) => void,
): Promise<void> {
  try {
    const manager = await jetstreamManager(connection, { checkAPI: false });
    const found = await manager.direct.getLastMessagesFor(bucketStream(buckets.hosts), { multi_last: [subjects.key(buckets.hosts, "*")] });
    for await (const { subject, data, time } of found) present(subject, data, time.getTime());
  } catch {
    // They tell again.
  }
}
