import type { ComponentChildren } from "preact";
import { givenText, originText } from "../../../../hookline/src/hub/protocol.js";
import type { EventAnswer, PlacedEvent } from "../../api/answers.js";
import { Command } from "../../parts/command.js";
import { Fact } from "../../parts/fact.js";
import { Icon } from "../../parts/icon.js";
import { DamagedMark, ImportedMark } from "../../parts/record-mark.js";
import { SessionLink } from "../../parts/session-link.js";
import { Clock } from "../../parts/time.js";
import { hrefOf } from "../../state/location.js";
import { textAt } from "../../text/fields.js";
import { inert } from "../../text/inert.js";

/** Where the event comes from, each with a way to more of the kind. */
export function EventFacts({ event, stored }: { readonly event: PlacedEvent; readonly stored: EventAnswer | undefined }) {
  const { at, source, session, id, seq, payload } = event;
  const file = event.imported === true ? textAt(payload, "imported", "file") : undefined;
  const tool = textAt(payload, "tool", "name");
  const answered = givenText((payload as { readonly approval?: { readonly given?: unknown } | null } | null)?.approval?.given);
  return (
    <dl class="facts">
      <Fact name="Time">
        <Clock at={Date.parse(at)} />
      </Fact>
      <Fact name="Source">
        <a href={hrefOf("live", { source: source.app })} title="Events of this source">
          {inert(source.app)}
        </a>
        <span class="dim">
          {" "}
          {inert(source.host)}
          {source.pid > 0 && ` pid ${source.pid}`}
        </span>
      </Fact>
      {event.host !== undefined && (
        <Fact name="Host">
          <a href={hrefOf("hosts", { host: event.host })}>{inert(event.host)}</a>
        </Fact>
      )}
      {stored?.origin !== undefined && (
        <Fact name="Came by">
          <bdi>{inert(originText(stored.origin))}</bdi>
        </Fact>
      )}
      {answered !== undefined && (
        <Fact name="Answered">
          <bdi>{inert(answered)}</bdi> {stored?.claimed === true && <span class="dim">only the process says so</span>}
        </Fact>
      )}
      {stored?.forAnother === true && (
        <Mark>
          Its process connected as {inert(stored.origin?.app ?? "")}, instance {inert(stored.origin?.instance ?? "")}.
        </Mark>
      )}
      {stored?.provedBy !== undefined && (
        <Mark>Another process was first connected as this instance: {inert(originText(stored.provedBy))}.</Mark>
      )}
      {session !== undefined && (
        <Fact name="Session">
          <SessionLink id={session.id} length={32} /> <a href={hrefOf("live", { session: session.id })}>its events</a>
        </Fact>
      )}
      {tool !== undefined && (
        <Fact name="Tool">
          <a href={hrefOf("live", { tool })} title="Events of this tool">
            {inert(tool)}
          </a>
        </Fact>
      )}
      {event.damaged === true && (
        <Fact name="Record">
          <DamagedMark /> Its text in the store is damaged. The index still has what you see here; the rest is lost. To see what the store
          has lost: <Command>hookline doctor</Command>
        </Fact>
      )}
      {event.imported === true && (
        <Fact name="Record">
          <ImportedMark /> No guard saw it. {file !== undefined && <span class="mono dim">{inert(file)}</span>}
        </Fact>
      )}
      <Fact name="Id">
        <span class="mono">{inert(id)}</span> <span class="dim">seq {seq}</span>
      </Fact>
    </dl>
  );
}

/** What the event says of its source, and the hub knows otherwise. */
function Mark({ children }: { readonly children: ComponentChildren }) {
  return (
    <Fact name="Marked">
      <Icon name="warn" size={12} /> {children}
    </Fact>
  );
}
