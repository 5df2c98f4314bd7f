import type { NatsConnection } from "@nats-io/transport-node";
import type { FleetEnrolment } from "hookline/internal/fleet";
import type { Roster } from "../credentials/roster.js";
import { readStream } from "../nats/read-stream.js";
import { AUDIT_STREAM, subjects } from "../nats/subjects.js";
import { checkEnrolment, detailsIn, ENROLMENT_OPENED, type Enrolment } from "./enrolment.js";

/** Every reader of the audit knows the ids, and could fill it with useless passkeys. */
const MAX_TRIES = 5;

export interface OpenEnrolments {
  /** Reads what the server has of them. The roster must be known. */
  read(): Promise<void>;
  find(id: string): FleetEnrolment | undefined;
  /** Counts a passkey that was made; false after too many. */
  take(id: string): boolean;
  close(): void;
}

/** Follows the permissions of admins in the audit. Each is checked against the roster whenever it is used. */
export function followEnrolments(connection: NatsConnection, roster: () => Roster | undefined): OpenEnrolments {
  const opened = new Map<string, { readonly signed: unknown; tries: number }>();
  const subject = subjects.audit("person", "*", ENROLMENT_OPENED);

  function take(data: Uint8Array): void {
    const signed = detailsIn(data);
    const found = check(signed);
    if (found !== undefined && !opened.has(found.id)) opened.set(found.id, { signed, tries: 0 });
    for (const [id, { signed: other }] of opened) if (check(other) === undefined) opened.delete(id);
  }

  function check(signed: unknown): Enrolment | undefined {
    const known = roster();
    return known && checkEnrolment(signed, known, Date.now());
  }

  const watched = connection.subscribe(subject, { callback: (_, { data }) => take(data) });
  return {
    async read() {
      for await (const { data } of readStream(connection, AUDIT_STREAM, subject)) take(data);
    },
    find: (id) => check(opened.get(id)?.signed),
    take(id) {
      const found = opened.get(id);
      if (found === undefined || found.tries >= MAX_TRIES) return false;
      found.tries++;
      return true;
    },
    close() {
      if (!connection.isClosed()) watched.unsubscribe();
    },
  };
}
