import type { Accepted } from "hookline/internal/fleet";
import { type Received, readMessage } from "../nats/event-message.js";
import type { Pointer } from "../nats/large-event.js";
import { BatchMarks, type HostMarks } from "./host-marks.js";
import type { MessageReader } from "./message-rows.js";
import type { ResendRequests } from "./resend-requests.js";

/** Messages of a part, ready to be stored. */
export interface Intake {
  readonly rows: readonly Accepted[];
  readonly reached: BatchMarks;
  readonly told: readonly { readonly host: string; readonly store: string; readonly count: number; readonly isNew: boolean }[];
  /** Large events that the object store need not keep once the rows are stored. */
  readonly large: readonly { readonly host: string; readonly pointer: Pointer }[];
}

export interface IntakeOptions {
  readonly reader: MessageReader;
  readonly marks: HostMarks;
  readonly resends: Pick<ResendRequests, "ask">;
  /** The messages before these, if they are still being stored. */
  readonly before: Intake | undefined;
}

/**
 * Makes rows of the next messages, each host's in the order of its own store. What cannot be stored yet, because something before it is
 * missing, the host is asked to send again.
 */
export async function takeIn(messages: readonly Received[], { reader, marks, resends, before }: IntakeOptions): Promise<Intake> {
  const reached = new BatchMarks(marks, before?.reached);
  const rows: Accepted[] = [];
  const told: Intake["told"][number][] = [];
  const large: Intake["large"][number][] = [];
  reader.begin();
  for (const received of messages) {
    const message = readMessage(received);
    // Not of a host: the server's reply to any message can be sent here.
    if (message === undefined) continue;
    const { host, store } = message;
    const step = reached.stepOf(host, message);
    const position = reached.position(host, store);
    const taken = step === "missing" ? undefined : await reader.rowsOf(message, position);
    if (taken === undefined) {
      resends.ask(host, store, position);
      continue;
    }
    for (const row of taken.rows) rows.push(row);
    if (taken.pointer !== undefined) large.push({ host, pointer: taken.pointer });
    const isNew = step === "take";
    if (isNew) reached.reach(host, message);
    told.push({ host, store, count: Math.max(1, taken.rows.length), isNew });
  }
  return { rows, reached, told, large };
}
