import type { EventsAnswer, SteerRecord } from "../../api/answers.js";
import { hub } from "../../api/calls.js";
import { Boundary } from "../../parts/boundary.js";
import { Clock } from "../../parts/time.js";
import { canApprove } from "../../state/access.js";
import { useLoaded } from "../../state/use-loaded.js";
import { inert, inertLines } from "../../text/inert.js";
import { SteerForm } from "./steer-form.js";

const EVERY_MS = 3_000;

/** What operators put into this session, and what became of it; for those who may, a form to put in more. */
export function SteerPanel({ session }: { readonly session: string }) {
  const { data, reload } = useLoaded(() => hub.steered(session), `steered ${session}`, EVERY_MS);
  const sent = steeredIn(data?.events ?? []);
  if (!canApprove.value && sent.length === 0) return null;
  return (
    <details class="steer">
      <summary>
        {canApprove.value ? "Steer this session" : "Sent to this session"}{" "}
        {sent.length > 0 && <span class="dim">· {sent.length} sent</span>}
      </summary>
      {canApprove.value && <SteerForm session={session} onSent={reload} />}
      {sent.length > 0 && (
        <ul class="steered" aria-label="What was sent to this session">
          {sent.map((one) => (
            <li key={one.record.id}>
              <Boundary of={one}>
                <Sent {...one} />
              </Boundary>
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}

const became: { readonly [status in SteerRecord["status"]]: string } = {
  waiting: "waits for the agent's next event",
  sent: "sent, not told yet",
  delivered: "told to the model",
  dropped: "dropped",
};

function Sent({ at, record: { kind, text, by, status, reason, interrupt } }: Steered) {
  return (
    <>
      <p class="steered-text">{inertLines(text)}</p>
      <p class="dim">
        {kind === "remind" ? "Reminder" : interrupt === true ? "Interrupt" : "Message"} by <bdi>{inert(by)}</bdi>, <Clock at={at} isShort />{" "}
        · <span class={status === "dropped" ? "is-bad" : ""}>{became[status] ?? inert(status)}</span>
        {reason !== undefined && `: ${inert(reason)}`}
      </p>
    </>
  );
}

/** Something that was put into a session: when it was sent, and what is known of it last. */
interface Steered {
  readonly at: number;
  readonly record: SteerRecord;
}

/** What was sent, the latest first, of events of which the newest is the first. */
function steeredIn(events: EventsAnswer["events"]): readonly Steered[] {
  const byId = new Map<string, Steered>();
  for (const { at, payload } of events) {
    const record = payload as SteerRecord;
    byId.set(record.id, { at: Date.parse(at), record: byId.get(record.id)?.record ?? record });
  }
  return [...byId.values()].sort((a, b) => b.at - a.at);
}
