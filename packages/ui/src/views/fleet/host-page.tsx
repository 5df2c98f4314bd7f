import type { FleetHost } from "../../api/answers.js";
import { hub } from "../../api/calls.js";
import { Empty } from "../../parts/empty.js";
import { Fact } from "../../parts/fact.js";
import { TableBox } from "../../parts/table-box.js";
import { Ago } from "../../parts/time.js";
import { Trouble } from "../../parts/trouble.js";
import { ViewHead } from "../../parts/view-head.js";
import { toRow } from "../../state/feed-row.js";
import { goTo, hrefOf } from "../../state/location.js";
import { useLoaded } from "../../state/use-loaded.js";
import { countText, durationText } from "../../text/amounts.js";
import { isFields } from "../../text/fields.js";
import { inert } from "../../text/inert.js";
import { FeedLine } from "../live/feed-line.js";
import { SessionHead, SessionLine } from "../sessions/session-list.js";
import { FleetQuestions } from "./fleet-questions.js";
import { factOf } from "./host-fact.js";

const EVERY_MS = 3_000;
const EVENTS = 20;
const SESSIONS = 10;

interface HostPageProps {
  readonly name: string;
  readonly host: FleetHost | undefined;
  readonly isLoaded: boolean;
}

/** One host: what it is, what waits there, what happened there last. */
export function HostPage({ name, host, isLoaded }: HostPageProps) {
  const sessions = useLoaded(() => hub.sessions({ host: name }), `sessions ${name}`, EVERY_MS);
  const events = useLoaded(
    () => hub.events(new URLSearchParams({ host: name, limit: String(EVENTS) }).toString()),
    `host ${name}`,
    EVERY_MS,
  );
  const found = (sessions.data?.sessions ?? []).slice(0, SESSIONS);
  const rows = (events.data?.events ?? []).map(toRow);
  return (
    <section class="view">
      <ViewHead
        title={inert(name)}
        about={
          <>
            <a href={hrefOf("hosts")}>Hosts</a> / {host === undefined ? "not known" : host.isPresent ? "present" : "away"}
          </>
        }
      >
        <a class="button button-plain" href={hrefOf("live", { host: name })}>
          Its events
        </a>
        <a class="button button-plain" href={hrefOf("sessions", { host: name })}>
          Its sessions
        </a>
      </ViewHead>
      <Trouble error={events.error ?? sessions.error} />
      <div class="view-scroll inbox">
        {host === undefined ? isLoaded && <Unknown name={name} /> : <HostFacts host={host} />}
        <FleetQuestions host={name} />
        <h2 class="section-title">Sessions</h2>
        {found.length === 0 ? (
          <p class="dim">None yet.</p>
        ) : (
          <TableBox label={`Sessions of ${inert(name)}`}>
            <SessionHead hasHost={false} />
            <tbody>
              {found.map((session) => (
                <SessionLine key={session.id} session={session} hasHost={false} />
              ))}
            </tbody>
          </TableBox>
        )}
        <h2 class="section-title">Latest events</h2>
        {rows.length === 0 && <p class="dim">None yet.</p>}
        <div class="host-events">
          {rows.map((row) => (
            <FeedLine
              key={row.id}
              row={{ ...row, host: "" }}
              isChosen={false}
              onChoose={(id) => goTo(hrefOf("live", { host: name, id }))}
            />
          ))}
        </div>
      </div>
    </section>
  );
}

function Unknown({ name }: { readonly name: string }) {
  return (
    <Empty icon="hosts" title="This host is not known">
      <p>No host "{inert(name)}" has been present since this fleet hub has its store.</p>
    </Empty>
  );
}

function HostFacts({ host }: { readonly host: FleetHost }) {
  const { seenAt, behind, position, stored, duplicates, missing, clockAheadMs = 0, presence } = host;
  const labels = isFields(presence?.labels) ? Object.entries(presence.labels) : [];
  return (
    <dl class="facts">
      <Fact name="Last seen">
        <Ago at={seenAt} />
      </Fact>
      <Fact name="Version">{factOf(host, "version")}</Fact>
      <Fact name="Policy">
        serial {factOf(host, "policySerial")} <span class="dim">roster {factOf(host, "roster")}</span>
      </Fact>
      {labels.length > 0 && <Fact name="Labels">{labels.map(([key, value]) => inert(`${key}=${String(value)}`)).join(" ")}</Fact>}
      <Fact name="Events">
        up to {countText(position)}
        {behind !== undefined && <span class="dim"> {countText(behind)} behind</span>}
      </Fact>
      <Fact name="Since start">
        {countText(stored)} stored, {countText(duplicates)} sent again, {countText(missing)} missing
      </Fact>
      {Math.abs(clockAheadMs) >= 1000 && (
        <Fact name="Clock">
          {durationText(Math.abs(clockAheadMs))} {clockAheadMs > 0 ? "ahead" : "behind"}
        </Fact>
      )}
    </dl>
  );
}
