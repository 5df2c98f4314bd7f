import { useEffect, useRef, useState } from "preact/hooks";
import type { HandlerRow, HookSummary, RuleSummary } from "../../api/answers.js";
import { Boundary } from "../../parts/boundary.js";
import { TableBox } from "../../parts/table-box.js";
import { countText } from "../../text/amounts.js";
import { COLUMNS, type HandlerColumn } from "./handler-columns.js";
import { RULES } from "./handler-facts.js";
import { HandlerLine } from "./handler-line.js";
import { numbersOf } from "./handler-numbers.js";
import { sorted, sorting, turnSorting } from "./sorting.js";

interface HandlerTableProps {
  readonly label: string;
  readonly handlers: readonly HandlerRow[];
  readonly hooks: readonly HookSummary[];
  readonly rules?: readonly RuleSummary[];
  readonly neverText: (handler: HandlerRow) => string;
  /** Missing where nothing can be done about them. */
  readonly onChanged?: () => void;
}

/** Each is a row of a dozen cells. */
const SHOWN = 200;

export function HandlerTable({ label, handlers, hooks, rules = [], neverText, onChanged }: HandlerTableProps) {
  const [open, setOpen] = useState<number>();
  const [shown, setShown] = useState(SHOWN);
  const ruleOf = ({ owner, name }: HandlerRow) => (owner === RULES ? rules.find((rule) => rule.name === name) : undefined);
  const inOrder = sorted(handlers, sorting.value);
  const box = useRef<HTMLElement>(null);
  useEffect(() => box.current?.querySelector(".detail-row")?.scrollIntoView({ block: "nearest" }), [open]);
  return (
    <>
      <TableBox label={label} box={box}>
        <thead>
          <tr>
            {COLUMNS.map((column) => (
              <SortHead key={column.id} column={column} />
            ))}
          </tr>
        </thead>
        <tbody>
          {inOrder.slice(0, shown).map((handler, index) => (
            <Boundary key={`${handler.id} ${index}`} of={handler} columns={COLUMNS.length}>
              <HandlerLine
                handler={handler}
                hook={hooks.find(({ id }) => id === handler.owner)}
                remembers={ruleOf(handler)?.remembers}
                isShadow={ruleOf(handler)?.state === "shadow"}
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
        <p class="dim table-note">* Since its process started: the window counts decisions only, and this handler takes no part in them.</p>
      )}
    </>
  );
}

/** The head of a column: pressed, it sorts by it. */
function SortHead({ column }: { readonly column: HandlerColumn }) {
  const { label, kind, isWide } = column;
  const isDown = sorting.value?.column === column ? sorting.value.isDown : undefined;
  return (
    <th
      scope="col"
      class={`${kind === "number" ? "number" : ""} ${isWide === true ? "roomy" : ""}`}
      aria-sort={isDown === undefined ? undefined : isDown ? "descending" : "ascending"}
    >
      <button type="button" class="sort" title={`Sort by ${label}`} onClick={() => turnSorting(column)}>
        {label}
        <span class="sort-mark" aria-hidden="true">
          {isDown === undefined ? "\u00a0" : isDown ? "↓" : "↑"}
        </span>
      </button>
    </th>
  );
}
