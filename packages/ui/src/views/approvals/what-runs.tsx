import { Diff } from "../../parts/diff.js";
import { Icon } from "../../parts/icon.js";
import { JsonTree } from "../../parts/json-tree.js";
import type { Approval } from "../../state/approvals.js";
import { type Fields, isFields, textAt } from "../../text/fields.js";
import { inert, inertLines } from "../../text/inert.js";
import { riskNotes } from "../../text/risk-notes.js";

/** What would run, exactly as it would run; and what the agent had asked for, if a guard has rewritten it since. */
export function WhatRuns({ approval }: { readonly approval: Approval }) {
  const { payload, asked } = approval;
  const notes = riskNotes(payload);
  return (
    <>
      <Call payload={payload} />
      {notes.length > 0 && (
        <p class="risk">
          <Icon name="warn" size={14} />
          Looks as if it {listed(notes)}.
        </p>
      )}
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
  const tool = textAt(payload, "tool", "name");
  const input = inputOf(payload);
  const command = textAt(input, "command");
  const rest = command !== undefined && isFields(input) ? without(input, "command") : input;
  return (
    <div class="call">
      {tool !== undefined && <p class="call-tool">{inert(tool)}</p>}
      {command !== undefined && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        <section class="call-command mono" tabIndex={0} aria-label="The command">
          <bdi>{inertLines(command)}</bdi>
        </section>
      )}
      {rest !== undefined && <JsonTree value={rest} />}
    </div>
  );
}

function without(input: Fields, key: string): Fields | undefined {
  const rest = Object.entries(input).filter(([name]) => name !== key);
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

function inputOf(payload: unknown): unknown {
  return isFields(payload) && isFields(payload.tool) && payload.tool.input !== undefined ? payload.tool.input : payload;
}

function listed(notes: readonly string[]): string {
  return notes.length < 2 ? notes.join("") : `${notes.slice(0, -1).join(", ")} and ${notes.at(-1)}`;
}
