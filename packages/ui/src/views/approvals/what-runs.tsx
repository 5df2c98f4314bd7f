import { useMemo, useState } from "preact/hooks";
import { Diff } from "../../parts/diff.js";
import { Icon } from "../../parts/icon.js";
import { memo } from "../../parts/memo.js";
import { RawJson } from "../../parts/raw-json.js";
import type { Approval } from "../../state/approvals.js";
import { type Fields, isFields } from "../../text/fields.js";
import { jsonText } from "../../text/foreign.js";
import { inert } from "../../text/inert.js";
import { riskNotes } from "../../text/risk-notes.js";
import { partsOf } from "./call-parts.js";
import { ExactText, Pieces } from "./exact-text.js";
import { useEndSeen } from "./use-seen.js";

/** What would run, exactly as it would run; and what the agent had asked for, if a guard has rewritten it since. */
export const WhatRuns = memo(({ approval }: { readonly approval: Pick<Approval, "payload" | "asked" | "cwd"> }) => {
  const { payload, asked, cwd } = approval;
  const [isOpen, setOpen] = useState(false);
  const notes = useMemo(() => riskNotes(partsOf(payload)), [payload]);
  return (
    <>
      <Call payload={payload} place={cwd} />
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
          <Diff before={partsOf(asked).input} after={partsOf(payload).input} label="What the agent asked for, and what would run" />
        </details>
      )}
    </>
  );
});

/** `place`: the folder of its process, where the call names none. */
function Call({ payload, place }: { readonly payload: unknown; readonly place: string | undefined }) {
  const { tool, cwd = place, input, facts, rest } = useMemo(() => partsOf(payload), [payload]);
  const { end } = useEndSeen();
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
      <CallInput input={input} />
      {Object.keys(rest).length > 0 && (
        <>
          <p class="call-with">and with</p>
          <Members of={rest} label="What else is in the call" />
        </>
      )}
      {facts.length > 0 && <p class="call-facts">{facts.join(" · ")}</p>}
      <span ref={end} class="call-end" />
    </div>
  );
}

function listed(notes: readonly string[]): string {
  return notes.length < 2 ? notes.join("") : `${notes.slice(0, -1).join(", ")} and ${notes.at(-1)}`;
}

const SHORT = 200;

/** What a tool is called with: its command first, then every text exactly as it is, then the rest as JSON, all of it. */
function CallInput({ input }: { readonly input: unknown }) {
  if (!isFields(input)) return <ExactText text={typeof input === "string" ? input : jsonText(input, 2)} label="What it is called with" />;
  const { command, ...others } = input;
  const isCommand = typeof command === "string";
  return (
    <>
      {isCommand && <ExactText text={command} label="The command" />}
      <Members of={isCommand ? others : input} label="What it is called with" isEmptyShown={!isCommand} />
    </>
  );
}

interface MembersProps {
  readonly of: Fields;
  readonly label: string;
  readonly isEmptyShown?: boolean;
}

/** Every text as it is, the rest as JSON. */
function Members({ of, label, isEmptyShown = false }: MembersProps) {
  const members = Object.entries(of);
  const texts = members.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const values = members.filter(([, value]) => typeof value !== "string");
  const isRest = values.length > 0 || (isEmptyShown && members.length === 0);
  return (
    <>
      {texts.map(([name, text]) => (
        <Member key={name} name={name} text={text} />
      ))}
      {isRest && <ExactText text={jsonText(Object.fromEntries(values), 2)} label={label} />}
    </>
  );
}

function Member({ name, text }: { readonly name: string; readonly text: string }) {
  const isShort = text.length <= SHORT && !text.includes("\n");
  return (
    <>
      <p class="call-member mono">
        <span class="tree-name">
          <Pieces text={name} />:{" "}
        </span>
        {isShort && <Pieces text={text} />}
      </p>
      {!isShort && <ExactText text={text} label={inert(name)} />}
    </>
  );
}
