import { useState } from "preact/hooks";
import type { SessionRow } from "../../api/answers.js";
import { hub } from "../../api/calls.js";
import { Command } from "../../parts/command.js";
import { DemoButton } from "../../parts/demo-button.js";
import { Empty } from "../../parts/empty.js";
import { later } from "../../parts/later.js";
import { NoMatch } from "../../parts/no-match.js";
import { SearchBox } from "../../parts/search-box.js";
import { SessionLink } from "../../parts/session-link.js";
import { TableBox } from "../../parts/table-box.js";
import { Tabs } from "../../parts/tabs.js";
import { Ago } from "../../parts/time.js";
import { Trouble } from "../../parts/trouble.js";
import { ViewHead } from "../../parts/view-head.js";
import { fleetParts } from "../../state/fleet-parts.js";
import { changeParams, hrefOf, params } from "../../state/location.js";
import { useLoaded } from "../../state/use-loaded.js";
import { costText, countText, durationText, pluralText, shortCount } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";
import { nestSessions } from "./nested-sessions.js";
import { Timeline } from "./timeline.js";

const EVERY_MS = 3_000;
const RANGES = [
  { id: "24h", label: "24 h" },
  { id: "7d", label: "7 d" },
  { id: "30d", label: "30 d" },
  { id: "", label: "All" },
] as const;

function SessionList() {
  const host = params.value.get("host") ?? undefined;
  const since = params.value.get("within") ?? "";
  const of = { ...(host !== undefined && { host }), ...(since !== "" && { since }) };
  const { data, error } = useLoaded(() => hub.sessions(of), `sessions ${host ?? ""} ${since}`, EVERY_MS);
  const [words, setWords] = useState("");
  const compared = params.value.get("compare") ?? undefined;
  const all = data?.sessions ?? [];
  const found = all.filter(({ id, title, app, agent, model, cwd, host: on }) =>
    [id, title, app, agent, model, cwd, on].join(" ").toLowerCase().includes(words.toLowerCase()),
  );
  const shown = nestSessions(found);
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
        <Tabs tabs={RANGES} current={since} onChoose={(within) => changeParams({ within }, "replace")} label="With an event in the last" />
        <SearchBox label="Find a session" value={words} onChange={setWords} />
      </ViewHead>
      <Trouble error={error} />
      {compared !== undefined && (
        <p class="said choose-session" role="status">
          Choose the session to compare with <SessionLink id={compared} length={24} />. <a href={hrefOf("sessions")}>Cancel</a>
        </p>
      )}
      {data !== undefined && all.length === 0 && since !== "" ? (
        <Empty icon="sessions" title="No session in this time">
          <p>Choose a longer period.</p>
        </Empty>
      ) : data !== undefined && all.length === 0 ? (
        <Empty icon="sessions" title="No sessions yet">
          <p>
            A session appears with its first event. Attach the agents of this machine: <Command>hookline start</Command>
          </p>
          <DemoButton />
        </Empty>
      ) : all.length > 0 && shown.length === 0 ? (
        <NoMatch title="No session matches" words={words} where="its title, id, project, model or agent" onClear={() => setWords("")} />
      ) : (
        <TableBox label="Sessions">
          <SessionHead hasHost={fleetParts.value !== undefined} />
          <tbody>
            {shown.map(({ session, depth, below }) => (
              <SessionLine
                key={session.id}
                session={session}
                depth={depth}
                below={below}
                hasHost={fleetParts.value !== undefined}
                compared={compared}
              />
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
        <th class="wide">Project</th>
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

interface SessionLineProps {
  readonly session: SessionRow;
  readonly hasHost: boolean;
  /** How far below its first parent it is. */
  readonly depth?: number;
  /** How many sessions are below it: their numbers are in its own. */
  readonly below?: number;
  /** The session that another one is chosen to be compared with. */
  readonly compared?: string | undefined;
}

const DEEPEST = 6;

export function SessionLine({ session, hasHost, depth = 0, below = 0, compared }: SessionLineProps) {
  const { id, title, app, agent, model, cwd, host, firstAt, lastAt, events, denied, asked, inputTokens, outputTokens, costUsd } = session;
  return (
    <tr>
      <th scope="row" style={{ paddingInlineStart: `${16 + Math.min(depth, DEEPEST) * 16}px` }}>
        {depth > 0 && <span class="dim">↳ </span>}
        {compared === undefined || compared === id ? (
          <>
            {title !== undefined && (
              <a class="session-title" href={hrefOf("sessions", { session: id })} title={inert(title)}>
                {inert(title)}
              </a>
            )}
            <SessionLink id={id} length={22} />
          </>
        ) : (
          <a class="mono" href={hrefOf("sessions", { session: compared, with: id })} title={inert(id)}>
            compare {inert(title ?? id).slice(0, 22)}
          </a>
        )}
        {below > 0 && <span class="dim session-below"> with {pluralText(below, "subagent")}</span>}
        <span class="row-note dim">
          <span>{durationText(lastAt - firstAt)}</span> <span>{pluralText(asked, "question")}</span>{" "}
          {inputTokens !== undefined && <span>{shortCount(inputTokens + (outputTokens ?? 0))} tokens</span>}{" "}
          {costUsd !== undefined && <span>{costText(costUsd)}</span>}
        </span>
      </th>
      <td class="brief" title={inert([agent ?? app, model].join(" "))}>
        {inert(agent ?? app) || "unknown"}
        {model !== undefined && <span class="dim session-model">{inert(model)}</span>}
      </td>
      <td class="brief wide" title={inert(cwd ?? "")}>
        {cwd === undefined ? <span class="dim">–</span> : inert(cwd.split(/[\\/]/).findLast((part) => part !== "") ?? cwd)}
      </td>
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

const Compare = later(async () => (await import("./compare.js")).Compare);

/** All sessions, or the timeline of the one in the address, or two of them side by side. */
export function SessionsView() {
  const session = params.value.get("session");
  const other = params.value.get("with");
  if (session === null) return <SessionList />;
  if (other !== null) return <Compare key={`${session} ${other}`} left={session} right={other} />;
  return <Timeline key={session} session={session} />;
}
