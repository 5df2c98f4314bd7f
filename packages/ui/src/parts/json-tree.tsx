import { useState } from "preact/hooks";
import { countText } from "../text/amounts.js";
import { inert } from "../text/inert.js";
import { LongText } from "./long-text.js";

const SHOWN_MEMBERS = 100;
const OPEN_DEPTH = 3;

/** A value that can be opened and closed level by level. Everything in it is text. */
export function JsonTree({ value, name }: { readonly value: unknown; readonly name?: string }) {
  return (
    <div class="tree mono">
      <Node value={value} name={name} depth={0} />
    </div>
  );
}

interface NodeProps {
  readonly value: unknown;
  readonly name: string | undefined;
  readonly depth: number;
}

function Node({ value, name, depth }: NodeProps) {
  return typeof value === "object" && value !== null ? (
    <Branch value={value} name={name} depth={depth} />
  ) : (
    <div class="tree-leaf">
      <Name name={name} />
      <Leaf value={value} />
    </div>
  );
}

function Branch({ value, name, depth }: NodeProps & { readonly value: object }) {
  const members = Object.entries(value);
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH && members.length <= SHOWN_MEMBERS);
  const [shown, setShown] = useState(SHOWN_MEMBERS);
  const brackets = Array.isArray(value) ? "[]" : "{}";
  if (members.length === 0)
    return (
      <div class="tree-leaf">
        <Name name={name} />
        <span class="dim">{brackets}</span>
      </div>
    );
  return (
    <details class="tree-branch" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Name name={name} />
        <span class="dim">
          {brackets[0]}
          {isOpen ? "" : ` ${countText(members.length)} ${brackets[1]}`}
        </span>
      </summary>
      {isOpen && members.slice(0, shown).map(([key, member]) => <Node key={key} value={member} name={key} depth={depth + 1} />)}
      {isOpen && members.length > shown && (
        <button type="button" class="link" onClick={() => setShown(shown + 1_000)}>
          show more of {countText(members.length)}
        </button>
      )}
    </details>
  );
}

function Name({ name }: { readonly name: string | undefined }) {
  return name === undefined ? null : <span class="tree-name">{inert(name)}: </span>;
}

function Leaf({ value }: { readonly value: unknown }) {
  if (typeof value === "string")
    return (
      <span class="tree-string">
        <LongText text={value} />
      </span>
    );
  return <span class={`tree-${value === null ? "null" : typeof value}`}>{String(value)}</span>;
}
