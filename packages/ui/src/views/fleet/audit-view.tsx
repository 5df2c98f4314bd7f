import type { FleetAuditEntry } from "../../api/answers.js";
import { hub } from "../../api/calls.js";
import { Boundary } from "../../parts/boundary.js";
import { Empty } from "../../parts/empty.js";
import { TableBox } from "../../parts/table-box.js";
import { Clock } from "../../parts/time.js";
import { Trouble } from "../../parts/trouble.js";
import { ViewHead } from "../../parts/view-head.js";
import { useLoaded } from "../../state/use-loaded.js";
import { pluralText } from "../../text/amounts.js";
import { isFields, textAt } from "../../text/fields.js";
import { jsonText } from "../../text/foreign.js";
import { inert } from "../../text/inert.js";

const EVERY_MS = 5_000;
/** Signatures, keys and passkeys, which tell a reader nothing. */
const HIDDEN = new Set(["person", "response", "proof", "enrolment", "signature", "id", "digest"]);
const MAX_LENGTH = 300;

/** The actions of people, hubs and hosts, from the audit on the fleet's server. */
export function AuditView() {
  const { data, error } = useLoaded(hub.fleetAudit, "fleet-audit", EVERY_MS);
  const entries = data?.entries ?? [];
  return (
    <section class="view">
      <ViewHead title="Audit" about={entries.length === 0 ? undefined : `the last ${pluralText(entries.length, "entry", "entries")}`} />
      <Trouble error={error} />
      {data !== undefined && entries.length === 0 ? (
        <Empty icon="audit" title="The audit is empty">
          <p>Answers, invitations, removals and policies of the fleet are recorded here.</p>
        </Empty>
      ) : (
        <TableBox label="Audit">
          <thead>
            <tr>
              <th>When</th>
              <th>Who</th>
              <th>Did</th>
              <th>To</th>
              <th>More</th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry, index) => (
              <Boundary key={`${entry.at} ${index}`} of={entry} columns={5}>
                <Row entry={entry} />
              </Boundary>
            ))}
          </tbody>
        </TableBox>
      )}
    </section>
  );
}

function Row({ entry: { at, kind, name, action, facts } }: { readonly entry: FleetAuditEntry }) {
  const person = textAt(facts, "details", "person");
  return (
    <tr>
      <td>
        <Clock at={Date.parse(at)} />
      </td>
      <th scope="row">
        {person === undefined ? inert(name) : inert(person)}{" "}
        <span class="dim">{person === undefined ? inert(kind) : `at the hub ${inert(name)}`}</span>
      </th>
      <td>{inert(action).replaceAll("-", " ")}</td>
      <td class="mono clipped">{inert(textAt(facts, "subject") ?? "–")}</td>
      <td class="mono clipped">{detailsOf(facts)}</td>
    </tr>
  );
}

function detailsOf(facts: unknown): string {
  const details = isFields(facts) && isFields(facts.details) ? facts.details : {};
  const shown = Object.entries(details).filter(([name]) => !HIDDEN.has(name) || (name === "proof" && "person" in details));
  return inert(shown.map(([name, value]) => `${name} ${typeof value === "string" ? value : jsonText(value)}`).join(" · ")).slice(
    0,
    MAX_LENGTH,
  );
}
