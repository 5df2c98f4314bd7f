import { useState } from "preact/hooks";
import { bytesText } from "../text/amounts.js";
import { inertLines } from "../text/inert.js";

const SHOWN = 2_000;

/** Text from outside. A long one is cut until the user asks for all of it. */
export function LongText({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  const isCut = text.length > SHOWN && !isWhole;
  return (
    <>
      <bdi>{inertLines(isCut ? text.slice(0, SHOWN) : text)}</bdi>
      {isCut && (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          … show all {bytesText(text.length)}
        </button>
      )}
    </>
  );
}
