import { useState } from "preact/hooks";
import { processText, wayText } from "../../../../hookline/src/hub/protocol.js";
import type { AnsweredApproval } from "../../api/answers.js";
import { hub } from "../../api/calls.js";
import { Boundary } from "../../parts/boundary.js";
import { Button } from "../../parts/button.js";
import { SessionLink } from "../../parts/session-link.js";
import { TableBox } from "../../parts/table-box.js";
import { Ago } from "../../parts/time.js";
import { VerdictMark } from "../../parts/verdict.js";
import { waitingCount } from "../../state/approvals.js";
import { hrefOf } from "../../state/location.js";
import { sayError } from "../../state/notices.js";
import { useLoaded } from "../../state/use-loaded.js";
import { durationText } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";

const FIRST = 10;
const MORE = 50;

/** The answers that were given: who, when, to what, and why. */
export function AnswersGiven() {
  const { data } = useLoaded(() => hub.answered(FIRST), `answered ${waitingCount.value}`);
  const [older, setOlder] = useState<{ readonly rows: readonly AnsweredApproval[]; readonly cursor: number | undefined }>();
  const rows = withoutDoubles([...(data?.answers ?? []), ...(older?.rows ?? [])]);
  const cursor = older === undefined ? data?.cursor : older.cursor;
  const load = () =>
    hub.answered(MORE, cursor).then((page) => setOlder({ rows: [...(older?.rows ?? []), ...page.answers], cursor: page.cursor }), sayError);
  if (rows.length === 0) return null;
  return (
    <section class="always" aria-label="Answers given">
      <h2 class="section-title">Answers given</h2>
      <TableBox label="Answers to approvals, newest first">
        <thead>
          <tr>
            <th>When</th>
            <th>Agent</th>
            <th>Call</th>
            <th>Answer</th>
            <th class="wide">By</th>
            <th class="wide">Why</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Boundary key={row.id} of={row} columns={6}>
              <Row row={row} />
            </Boundary>
          ))}
        </tbody>
      </TableBox>
      {cursor !== undefined && (
        <p class="table-note">
          <Button onClick={() => void load()}>Show older answers</Button>
        </p>
      )}
    </section>
  );
}

function Row({ row }: { readonly row: AnsweredApproval }) {
  const { at, app, session, about, event, eventId, verdict, isEdited, always } = row;
  const call = inert(about ?? event);
  return (
    <tr>
      <td>
        <Ago at={at} />
      </td>
      <th scope="row">
        {app === undefined ? "unknown" : inert(app)} {session !== undefined && <SessionLink id={session} length={12} />}
      </th>
      <td class="mono">
        {eventId === undefined ? (
          <span class="clipped">{call}</span>
        ) : (
          <a class="clipped" href={hrefOf("live", { id: eventId })} title={call}>
            {call}
          </a>
        )}
        <span class="row-note dim">
          <span>{whoText(row)}.</span> <span>{whyText(row)}</span>
        </span>
      </td>
      <td>
        <VerdictMark verdict={verdict} isModified={isEdited === true} /> {always === true && <span class="dim">always</span>}
      </td>
      <td class="wide">{whoText(row)}</td>
      <td class="wide answer-why">
        {whyText(row)} <span class="dim">{contextText(row)}</span>
      </td>
    </tr>
  );
}

function whoText({ by, via = "", factor, claimed, cause }: AnsweredApproval): string {
  if (cause !== undefined) return "no answer";
  const how = [wayText(via), factor === undefined ? "" : `with ${inert(factor)}`].filter((text) => text !== "").join(" ");
  return `${inert(by ?? "a person")}${how === "" ? "" : `, ${how}`}${claimed === true ? " (only the process says so)" : ""}`;
}

function whyText({ reason, cause }: AnsweredApproval): string {
  return cause === "HL_APPROVAL_TIMEOUT" ? "Expired." : inert(reason ?? "");
}

/** The guard that asked, and how long the call waited. */
function contextText({ askedBy, waitedMs, process }: AnsweredApproval): string {
  const waited = waitedMs === undefined ? "" : `answered after ${durationText(waitedMs)}`;
  const from = process === undefined ? "" : `from ${inert(processText(process))}`;
  return [askedBy === undefined ? "" : `${inert(askedBy)} asked`, waited, from].filter((text) => text !== "").join(", ");
}

/** The newest are loaded again while older ones stay. */
function withoutDoubles(rows: readonly AnsweredApproval[]): readonly AnsweredApproval[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}
