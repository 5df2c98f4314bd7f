import { useState } from "preact/hooks";
import type { HandlerRow, HookSummary } from "../../api/answers.js";
import { TableBox } from "../../parts/table-box.js";
import { HandlerLine } from "./handler-line.js";
import { numbersOf } from "./handler-numbers.js";

interface HandlerTableProps {
  readonly label: string;
  readonly handlers: readonly HandlerRow[];
  readonly hooks: readonly HookSummary[];
  readonly neverText: (handler: HandlerRow) => string;
  readonly onChanged: () => void;
}

export function HandlerTable({ label, handlers, hooks, neverText, onChanged }: HandlerTableProps) {
  const [open, setOpen] = useState<number>();
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
          {handlers.map((handler) => (
            <HandlerLine
              key={handler.id}
              handler={handler}
              hook={hooks.find(({ id }) => id === handler.owner)}
              neverText={neverText(handler)}
              isOpen={open === handler.id}
              onToggle={() => setOpen(open === handler.id ? undefined : handler.id)}
              onChanged={onChanged}
            />
          ))}
        </tbody>
      </TableBox>
      {handlers.some((handler) => numbersOf(handler).isSinceStart) && (
        <p class="dim table-note">* Since its process started: it takes no part in decisions, which are what the window is counted from.</p>
      )}
    </>
  );
}
