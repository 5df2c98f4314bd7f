import { useState } from "preact/hooks";
import type { HandlerRow, HookSummary } from "../../api/answers.js";
import { Boundary } from "../../parts/boundary.js";
import { TableBox } from "../../parts/table-box.js";
import { countText } from "../../text/amounts.js";
import { COLUMNS, HandlerLine } from "./handler-line.js";
import { numbersOf } from "./handler-numbers.js";

interface HandlerTableProps {
  readonly label: string;
  readonly handlers: readonly HandlerRow[];
  readonly hooks: readonly HookSummary[];
  readonly neverText: (handler: HandlerRow) => string;
  /** Missing where nothing can be done about them. */
  readonly onChanged?: () => void;
}

/** Each is a row of a dozen cells. */
const SHOWN = 200;

export function HandlerTable({ label, handlers, hooks, neverText, onChanged }: HandlerTableProps) {
  const [open, setOpen] = useState<number>();
  const [shown, setShown] = useState(SHOWN);
  return (
    <>
      <TableBox label={label}>
        <thead>
          <tr>
            <th>Handler</th>
            <th>Event</th>
            <th class="wide">Stage</th>
            <th>On failure</th>
            <th class="number">Calls</th>
            <th class="number">Denied</th>
            <th class="number">Failed</th>
            <th class="number wide">p50</th>
            <th class="number wide">p95</th>
            <th class="number wide">p99</th>
            <th>Last fired</th>
            <th>State</th>
          </tr>
        </thead>
        <tbody>
          {handlers.slice(0, shown).map((handler, index) => (
            <Boundary key={`${handler.id} ${index}`} of={handler} columns={COLUMNS}>
              <HandlerLine
                handler={handler}
                hook={hooks.find(({ id }) => id === handler.owner)}
                neverText={neverText(handler)}
                isOpen={open === handler.id}
                onToggle={() => setOpen(open === handler.id ? undefined : handler.id)}
                onChanged={onChanged}
              />
            </Boundary>
          ))}
        </tbody>
      </TableBox>
      {handlers.length > shown && (
        <p class="table-note">
          <button type="button" class="link" onClick={() => setShown(shown * 4)}>
            Show more of {countText(handlers.length)}
          </button>
        </p>
      )}
      {handlers.some((handler) => numbersOf(handler).isSinceStart) && (
        <p class="dim table-note">* Since its process started: it takes no part in decisions, which are what the window is counted from.</p>
      )}
    </>
  );
}
