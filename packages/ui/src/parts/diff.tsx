import { useMemo, useState } from "preact/hooks";
import { type DiffLine, diffLines } from "../../../core/src/text/line-diff.js";
import { bytesText } from "../text/amounts.js";
import { jsonText } from "../text/foreign.js";
import { inertLines } from "../text/inert.js";

const SIGNS: { readonly [K in DiffLine["kind"]]: string } = { same: " ", gone: "−", new: "+" };
const NAMES: { readonly [K in DiffLine["kind"]]: string } = { same: "", gone: "removed: ", new: "added: " };
const MAX_LENGTH = 50_000;

/** Two values, line by line: what is gone and what is new. */
export function Diff({ before, after, label }: { readonly before: unknown; readonly after: unknown; readonly label: string }) {
  const [isWhole, setWhole] = useState(false);
  const texts = useMemo(() => [textOf(before), textOf(after)] as const, [before, after]);
  const longest = Math.max(...texts.map(({ length }) => length));
  const isCut = longest > MAX_LENGTH && !isWhole;
  const lines = useMemo(() => {
    const [old = "", fresh = ""] = isCut ? texts.map((text) => text.slice(0, MAX_LENGTH)) : texts;
    return diffLines(old.split("\n"), fresh.split("\n"));
  }, [texts, isCut]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    // biome-ignore lint/a11y/useSemanticElements: there may be many, and regions must have names of their own.
    <div class="diff mono" role="group" tabIndex={0} aria-label={label}>
      {lines.map(({ kind, text }, index) => (
        <div key={index} class={`diff-line diff-${kind}`}>
          <span aria-hidden="true">{SIGNS[kind]}</span>
          <span>
            {kind !== "same" && <span class="unseen">{NAMES[kind]}</span>}
            {text}
          </span>
        </div>
      ))}
      {isCut && (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          Only the first {bytesText(MAX_LENGTH)} are compared: compare all {bytesText(longest)}
        </button>
      )}
    </div>
  );
}

function textOf(value: unknown): string {
  const text = typeof value === "string" ? value : jsonText(value, 2);
  return inertLines(text.replaceAll("\\n", "\n"));
}
