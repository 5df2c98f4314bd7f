import { now, today } from "../state/now.js";
import { agoText, exactText, isoText, shortTimeText, timeText } from "../text/times.js";

/** The local time of day, with its date unless that is today; the exact time on hover. */
export function Clock({ at, isShort = false }: { readonly at: number; readonly isShort?: boolean }) {
  return (
    <time dateTime={isoText(at)} title={exactText(at)}>
      {isShort ? shortTimeText(at, today.value) : timeText(at, today.value)}
    </time>
  );
}

/** How long ago, or on which day; the exact time on hover. */
export function Ago({ at }: { readonly at: number | undefined }) {
  if (at === undefined) return <span class="dim">never</span>;
  return (
    <time dateTime={isoText(at)} title={exactText(at)}>
      {agoText(at, now.value)}
    </time>
  );
}
