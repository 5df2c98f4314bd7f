import { useMemo, useState } from "preact/hooks";
import { bytesText } from "../text/amounts.js";
import { jsonText } from "../text/foreign.js";
import { inertLines } from "../text/inert.js";

const SHOWN = 50_000;

/** The value as it was sent, indented. */
export function RawJson({ value, label }: { readonly value: unknown; readonly label: string }) {
  const [isWhole, setWhole] = useState(false);
  const text = useMemo(() => jsonText(value, 2), [value]);
  const isCut = text.length > SHOWN && !isWhole;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      {/* biome-ignore lint/a11y/useSemanticElements: there may be many, and regions must have names of their own. */}
      <div class="raw mono" role="group" tabIndex={0} aria-label={label}>
        {inertLines(isCut ? text.slice(0, SHOWN) : text)}
      </div>
      {isCut && (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          Show all {bytesText(text.length)}
        </button>
      )}
    </>
  );
}
