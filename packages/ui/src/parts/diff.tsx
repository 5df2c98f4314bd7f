import { useMemo } from "preact/hooks";
import { inertLines } from "../text/inert.js";
import { type DiffLine, diffLines } from "../text/line-diff.js";

const SIGNS: { readonly [K in DiffLine["kind"]]: string } = { same: " ", gone: "−", new: "+" };
const NAMES: { readonly [K in DiffLine["kind"]]: string } = { same: "", gone: "removed: ", new: "added: " };
const MAX_LENGTH = 50_000;

/** Two values, line by line: what is gone and what is new. */
export function Diff({ before, after, label }: { readonly before: unknown; readonly after: unknown; readonly label: string }) {
  const lines = useMemo(() => diffLines(textOf(before), textOf(after)), [before, after]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section class="diff mono" tabIndex={0} aria-label={label}>
      {lines.map(({ kind, text }, index) => (
        <div key={index} class={`diff-line diff-${kind}`}>
          <span aria-hidden="true">{SIGNS[kind]}</span>
          <span>
            {kind !== "same" && <span class="unseen">{NAMES[kind]}</span>}
            {text}
          </span>
        </div>
      ))}
    </section>
  );
}

function textOf(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
  return inertLines(text.replaceAll("\\n", "\n")).slice(0, MAX_LENGTH);
}
