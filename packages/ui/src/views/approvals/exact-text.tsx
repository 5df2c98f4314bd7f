import { useMemo, useState } from "preact/hooks";
import { bytesText, countText, pluralText } from "../../text/amounts.js";
import { exactPieces } from "../../text/exact.js";
import { useEndSeen } from "./use-seen.js";

/** More than this at once slows the browser down; the rest is shown on request. */
const SHOWN = 20_000;
const TAIL = 2_000;
/** About what fits without scrolling, also where it is narrow. To measure it would cost a layout for each. */
const FITS = { lines: 12, length: 600 };

/** A text exactly as it would run: nothing in it is hidden, and what is out of sight is said to be. */
export function ExactText({ text, label }: { readonly text: string; readonly label: string }) {
  const [isWhole, setWhole] = useState(false);
  const isCut = text.length > SHOWN + TAIL && !isWhole;
  const lines = useMemo(() => text.split("\n").length, [text]);
  const isLong = lines > FITS.lines || text.length > FITS.length;
  const { end, isSeen } = useEndSeen(isCut);
  const showAll = () => setWhole(true);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      {/* biome-ignore lint/a11y/useSemanticElements: there may be many, and regions must have names of their own. */}
      <div class={`call-command mono ${isWhole ? "is-whole" : ""}`} role="group" tabIndex={0} aria-label={label}>
        <Pieces text={isCut ? text.slice(0, SHOWN) : text} />
        {isCut && (
          <>
            <button type="button" class="link call-more" onClick={showAll}>
              … {bytesText(text.length - SHOWN - TAIL)} in between are not shown: show all {bytesText(text.length)} …
            </button>
            <Pieces text={text.slice(-TAIL)} />
          </>
        )}
        <span ref={end} class="call-end" />
      </div>
      {(lines > 1 || isLong) && (
        <p class="call-size dim">
          {pluralText(lines, "line")}, {countText(text.length)} characters
        </p>
      )}
      {!isSeen && isLong && (
        <p class="call-size call-unseen">
          {isCut ? "Some of it is not shown." : "Scroll to the end of this part."}{" "}
          <button type="button" class="link" onClick={showAll}>
            Show all
          </button>
        </p>
      )}
    </>
  );
}

/** A text of one line. */
export function Pieces({ text }: { readonly text: string }) {
  const pieces = useMemo(() => exactPieces(text), [text]);
  return (
    <bdi dir="ltr">
      {pieces.map(({ text: piece, isSign }, index) =>
        isSign ? (
          <mark key={index} class="sign" title="An invisible character">
            {piece}
          </mark>
        ) : (
          piece
        ),
      )}
    </bdi>
  );
}
