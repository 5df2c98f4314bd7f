import { useMemo, useState } from "preact/hooks";
import { bytesText, countText, pluralText } from "../../text/amounts.js";
import { exactPieces } from "../../text/exact.js";

/** More than this at once makes a browser slow; the rest comes when somebody wants it. */
const SHOWN = 20_000;
const TAIL = 2_000;
/** About what fits without scrolling. */
const FITS = 1_500;

/** A text exactly as it would run: nothing in it is hidden, and of a long one also its end is shown. */
export function ExactText({ text, label }: { readonly text: string; readonly label: string }) {
  const [isWhole, setWhole] = useState(false);
  const isCut = text.length > SHOWN + TAIL && !isWhole;
  const lines = useMemo(() => text.split("\n").length, [text]);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section class="call-command mono" tabIndex={0} aria-label={label}>
        <Pieces text={isCut ? text.slice(0, SHOWN) : text} />
        {isCut && (
          <>
            <button type="button" class="link call-more" onClick={() => setWhole(true)}>
              … {bytesText(text.length - SHOWN - TAIL)} in between are not shown: show all {bytesText(text.length)} …
            </button>
            <Pieces text={text.slice(-TAIL)} />
          </>
        )}
      </section>
      {(lines > 1 || text.length > FITS) && (
        <p class="call-size dim">
          {pluralText(lines, "line")}, {countText(text.length)} characters
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
          <mark key={index} class="sign" title="A character that cannot be seen">
            {piece}
          </mark>
        ) : (
          piece
        ),
      )}
    </bdi>
  );
}
