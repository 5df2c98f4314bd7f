import { now } from "../state/now.js";
import { agoText, clockText, exactText, isoText } from "../text/times.js";

/** The local time of day; the exact time on hover. */
export function Clock({ at }: { readonly at: number }) {
  return (
    <time dateTime={isoText(at)} title={exactText(at)}>
      {clockText(at)}
    </time>
  );
}

/** How long ago; the exact time on hover. */
export function Ago({ at }: { readonly at: number | undefined }) {
  if (at === undefined) return <span class="dim">never</span>;
  return (
    <time dateTime={isoText(at)} title={exactText(at)}>
      {agoText(at, now.value)}
    </time>
  );
}
