import { useState } from "preact/hooks";
import type { SessionRow } from "../../api/answers.js";
import { hub } from "../../api/calls.js";
import { Command } from "../../parts/command.js";
import { DemoButton } from "../../parts/demo-button.js";
import { Empty } from "../../parts/empty.js";
import { NoMatch } from "../../parts/no-match.js";
import { SearchBox } from "../../parts/search-box.js";
import { SessionLink } from "../../parts/session-link.js";
import { TableBox } from "../../parts/table-box.js";
import { Ago } from "../../parts/time.js";
import { Trouble } from "../../parts/trouble.js";
import { ViewHead } from "../../parts/view-head.js";
import { fleetParts } from "../../state/fleet-parts.js";
import { hrefOf, params } from "../../state/location.js";
import { useLoaded } from "../../state/use-loaded.js";
import { costText, countText, durationText, pluralText, shortCount } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";
import { Timeline } from "./timeline.js";

const EVERY_MS = 3_000;

function SessionList() {
  const host = params.value.get("host") ?? undefined;
  const { data, error } = useLoaded(() => hub.sessions(host), `sessions ${host ?? ""}`, EVERY_MS);
  const [words, setWords] = useState("");
  const all = data?.sessions ?? [];
  const shown = all.filter(({ id, app, agent, host: on }) =>
    `${id} ${app} ${agent ?? ""} ${on ?? ""}`.toLowerCase().includes(words.toLowerCase()),
  );
  return (
    <section class="view">
      <ViewHead
        title="Sessions"
        about={
          all.length === 0
            ? undefined
            : `${shown.length < all.length ? `${countText(shown.length)} of ` : ""}${pluralText(all.length, "session")}`
        }
      >
        {fleetParts.value !== undefined && <fleetParts.value.HostPicker />}
        <SearchBox label="Find a session" value={words} onChange={setWords} />
      </ViewHead>
      <Trouble error={error} />
      {data !== undefined && all.length === 0 ? (
        <Empty icon="sessions" title="No sessions yet">
          <p>
            A session appears with its first event. Attach an agent: <Command>hookline attach claude-code</Command>
          </p>
          <DemoButton />
        </Empty>
      ) : all.length > 0 && shown.length === 0 ? (
        <NoMatch title="No session matches" words={words} where="its id, program or agent" onClear={() => setWords("")} />
      ) : (
        <TableBox label="Sessions">
          <SessionHead hasHost={fleetParts.value !== undefined} />
          <tbody>
            {shown.map((session) => (
              <SessionLine key={session.id} session={session} hasHost={fleetParts.value !== undefined} />
            ))}
          </tbody>
        </TableBox>
      )}
    </section>
  );
}

/** The head of a table of sessions. */
export function SessionHead({ hasHost }: { readonly hasHost: boolean }) {
  return (
    <thead>
      <tr>
        <th>Session</th>
        <th>Agent</th>
        {hasHost && <th>Host</th>}
        <th>Last event</th>
        <th class="wide">Lasted</th>
        <th class="number">Events</th>
        <th class="number">Denied</th>
        <th class="number wide">Asked</th>
        <th class="number wide">Tokens in / out</th>
        <th class="number wide">Cost</th>
      </tr>
    </thead>
  );
}

export function SessionLine({ session, hasHost }: { readonly session: SessionRow; readonly hasHost: boolean }) {
  const { id, app, agent, host, firstAt, lastAt, events, denied, asked, inputTokens, outputTokens, costUsd } = session;
  return (
    <tr>
      <th scope="row">
        <SessionLink id={id} length={22} />
      </th>
      <td>{inert(agent ?? app) || "unknown"}</td>
      {hasHost && <td>{host === undefined ? <span class="dim">this hub</span> : <a href={hrefOf("hosts", { host })}>{inert(host)}</a>}</td>}
      <td>
        <Ago at={lastAt} />
      </td>
      <td class="wide">{durationText(lastAt - firstAt)}</td>
      <td class="number">{countText(events)}</td>
      <td class={`number ${denied > 0 ? "is-bad" : "dim"}`}>{denied > 0 ? `✕ ${countText(denied)}` : "0"}</td>
      <td class={`number wide ${(asked ?? 0) > 0 ? "is-ask" : "dim"}`}>
        {asked === undefined ? "–" : (asked > 0 ? "? " : "") + countText(asked)}
      </td>
      <td class="number wide">
        {inputTokens === undefined ? <span class="dim">–</span> : `${shortCount(inputTokens)} / ${shortCount(outputTokens ?? 0)}`}
      </td>
      <td class="number wide">{costUsd === undefined ? <span class="dim">–</span> : costText(costUsd)}</td>
    </tr>
  );
}

/** All sessions, or the timeline of the one in the address. */
export function SessionsView() {
  const session = params.value.get("session");
  return session === null ? <SessionList /> : <Timeline key={session} session={session} />;
}
