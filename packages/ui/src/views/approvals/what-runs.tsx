import { useMemo, useState } from "preact/hooks";
import { Diff } from "../../parts/diff.js";
import { Icon } from "../../parts/icon.js";
import { RawJson } from "../../parts/raw-json.js";
import type { Approval } from "../../state/approvals.js";
import { hiddenNotes } from "../../text/exact.js";
import { isFields, textAt } from "../../text/fields.js";
import { riskNotes } from "../../text/risk-notes.js";
import { CallInput } from "./call-input.js";
import { Pieces } from "./exact-text.js";

/** What would run, exactly as it would run; and what the agent had asked for, if a guard has rewritten it since. */
export function WhatRuns({ approval }: { readonly approval: Approval }) {
  const { payload, asked } = approval;
  const [isOpen, setOpen] = useState(false);
  const hidden = useMemo(() => hiddenNotes(textsIn(inputOf(payload)).join("\n")), [payload]);
  const notes = [...riskNotes(payload), ...hidden];
  return (
    <>
      <Call payload={payload} />
      {notes.length > 0 && (
        <p class="risk">
          <Icon name="warn" size={14} />
          Looks as if it {listed(notes)}.
        </p>
      )}
      <details class="rewritten" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>All of the call, as JSON</summary>
        {isOpen && <RawJson value={payload} label="All of the call" />}
      </details>
      {asked !== undefined && (
        <details class="rewritten" open>
          <summary>Rewritten since the agent asked</summary>
          <Diff before={inputOf(asked)} after={inputOf(payload)} label="What the agent asked for, and what would run" />
        </details>
      )}
    </>
  );
}

function Call({ payload }: { readonly payload: unknown }) {
  const [tool, cwd] = [textAt(payload, "tool", "name"), textAt(payload, "cwd")];
  return (
    <div class="call">
      {(tool !== undefined || cwd !== undefined) && (
        <p class="call-tool">
          {tool !== undefined && <Pieces text={tool} />}
          {cwd !== undefined && (
            <>
              {" "}
              in{" "}
              <span class="mono">
                <Pieces text={cwd} />
              </span>
            </>
          )}
        </p>
      )}
      <CallInput input={inputOf(payload)} />
    </div>
  );
}

function inputOf(payload: unknown): unknown {
  return isFields(payload) && isFields(payload.tool) && payload.tool.input !== undefined ? payload.tool.input : payload;
}

/** Every text in what a tool is called with, names included. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [...(Array.isArray(value) ? [] : [name]), ...textsIn(member)]);
}

function listed(notes: readonly string[]): string {
  return notes.length < 2 ? notes.join("") : `${notes.slice(0, -1).join(", ")} and ${notes.at(-1)}`;
}
