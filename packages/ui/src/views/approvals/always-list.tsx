import type { AlwaysAllowed } from "../../api/answers.js";
import { hub } from "../../api/calls.js";
import { Boundary } from "../../parts/boundary.js";
import { Button } from "../../parts/button.js";
import { TableBox } from "../../parts/table-box.js";
import { Ago } from "../../parts/time.js";
import { canApprove } from "../../state/access.js";
import { waitingCount } from "../../state/approvals.js";
import { sayError } from "../../state/notices.js";
import { useLoaded } from "../../state/use-loaded.js";
import { inert } from "../../text/inert.js";
import { Pieces } from "./exact-text.js";

/** Calls that are allowed without asking, and a way to be asked again. */
export function AlwaysList() {
  const { data, reload } = useLoaded(hub.always, `always ${waitingCount.value}`);
  const rows = data?.always ?? [];
  if (rows.length === 0) return null;
  return (
    <section class="always" aria-label="Always allowed">
      <h2 class="section-title">Always allowed</h2>
      <TableBox label="Calls that are always allowed">
        <thead>
          <tr>
            <th>Tool</th>
            <th>Called with exactly</th>
            <th>Asked by</th>
            <th>Since</th>
            <th>
              <span class="unseen">Forget</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Boundary key={row.hash} of={row} columns={5}>
              <Row row={row} onForgotten={reload} />
            </Boundary>
          ))}
        </tbody>
      </TableBox>
    </section>
  );
}

function Row({ row, onForgotten }: { readonly row: AlwaysAllowed; readonly onForgotten: () => void }) {
  const forget = () => hub.forget(row.hash).then(onForgotten, sayError);
  return (
    <tr>
      <th scope="row">{inert(row.tool)}</th>
      <td class="mono">
        <details class="always-input">
          <summary class="clipped">{inert(row.input)}</summary>
          <p class="always-whole">
            <Pieces text={row.pinned} />
          </p>
          <p class="dim">allowed by {inert(row.allowedBy)}</p>
        </details>
      </td>
      <td>{inert(row.by)}</td>
      <td>
        <Ago at={row.at} />
      </td>
      <td>
        <Button isDisabled={!canApprove.value} onClick={() => void forget()}>
          Ask again
        </Button>
      </td>
    </tr>
  );
}
