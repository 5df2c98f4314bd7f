import type { ComponentChildren } from "preact";
import type { PlacedEvent } from "../../api/answers.js";
import { SessionLink } from "../../parts/session-link.js";
import { Clock } from "../../parts/time.js";
import { hrefOf } from "../../state/location.js";
import { textAt } from "../../text/fields.js";
import { inert } from "../../text/inert.js";

/** Where the event comes from, each with a way to more of the kind. */
export function EventFacts({ event }: { readonly event: PlacedEvent }) {
  const { at, source, session, id, seq, payload } = event;
  const tool = textAt(payload, "tool", "name");
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
      <Fact name="Id">
        <span class="mono">{inert(id)}</span> <span class="dim">seq {seq}</span>
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
