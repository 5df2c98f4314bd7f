import type { HookError } from "@hookline/core";
import { summarizePayload } from "@hookline/core/internal";
import { createEnvelopePreparer } from "@hookline/core/internal/sinks";
import { inertText } from "@hookline/core/internal/text";
import type { Envelope } from "@hookline/core/sinks";
import type { Message } from "../../notify/message.js";
import type { PendingApproval } from "../protocol.js";

/** More of a call than this belongs on the dashboard. */
const MAX_PAYLOAD_BYTES = 16 * 1_024;
const MAX_LINE = 500;
const MAX_EVENTS = 20;

/** An answer, as far as a message tells of it. */
export interface Outcome {
  readonly verdict: "allow" | "deny" | undefined;
  readonly by?: string | undefined;
}

export interface MessageMaker {
  question(row: PendingApproval, link: string | undefined): Message;
  /** The same message after the answer: without the link, which leads to nothing any more. */
  answered(row: Pick<PendingApproval, "event" | "source">, outcome: Outcome): Message;
}

/** Makes messages of questions. Secrets are hidden as for sinks: by name, by shape and by the paths of the configuration. */
export function createMessageMaker(redact: readonly string[], onError: (error: HookError) => void): MessageMaker {
  const prepare = createEnvelopePreparer({ redact, redactSecrets: true, maxPayloadBytes: MAX_PAYLOAD_BYTES, onError });
  const hidden = (about: Pick<Envelope, "event" | "payload">): unknown => prepare(about as Envelope).envelope.payload;

  return {
    question(row, link) {
      const payload = hidden({ event: row.event, payload: row.payload });
      const { reason } = hidden({ event: row.event, payload: { reason: row.reason } }) as { readonly reason?: unknown };
      const until = new Date(row.expiresAt).toTimeString().slice(0, 5);
      return {
        title: `${appOf(row)} asks: ${line(toolIn(payload) ?? row.event)}`,
        text: [
          line(summarizePayload(payload)),
          ...(typeof reason === "string" ? [`Why: ${line(reason)}`] : []),
          ...(row.cwd === undefined ? [] : [`In ${line(row.cwd)}`]),
          `Answer by ${until}${link === undefined ? `, in the dashboard or with: hookline approve ${row.id}` : "."}`,
        ].join("\n"),
        link,
        isUrgent: true,
        about: { event: row.event, payload, source: row.source ?? UNKNOWN, ...(row.session !== undefined && { session: row.session }) },
      };
    },
    answered: (row, { verdict, by }) => ({
      title: `${appOf(row)} asked, and ${verdict === undefined ? "the question is over" : `it was ${verdict === "allow" ? "allowed" : "denied"}`}`,
      text: by === undefined ? "" : `By ${line(by)}.`,
      isUrgent: false,
    }),
  };
}

/** One event in one line. */
export function eventLine({ event, source, payload }: Envelope): string {
  return `${event} · ${line(source.app)} · ${line(summarizePayload(payload))}`;
}

/** Makes one message of one event, or of several. Their secrets are hidden already. */
export function eventsMessage(envelopes: readonly Envelope[]): Message {
  const lines = envelopes.slice(0, MAX_EVENTS).map(eventLine);
  const more = envelopes.length - lines.length;
  return {
    title: envelopes.length === 1 ? `Hookline: ${envelopes[0]?.event}` : `Hookline: ${envelopes.length} events`,
    text: [...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join("\n"),
    isUrgent: false,
    about: envelopes.at(-1),
  };
}

const UNKNOWN: Envelope["source"] = { app: "unknown", host: "", pid: 0, instance: "" };

function appOf({ source }: Pick<PendingApproval, "source">): string {
  return line(source?.app ?? "An agent");
}

function toolIn(payload: unknown): string | undefined {
  const { name } = Object(Object(payload).tool) as { readonly name?: unknown };
  return typeof name === "string" && name !== "" ? name : undefined;
}

/** One line without control characters or marks that turn its direction. */
function line(text: string): string {
  const plain = inertText(text).replace(/\s+/g, " ").trim();
  return plain.length <= MAX_LINE ? plain : `${plain.slice(0, MAX_LINE)}…`;
}
