import { now } from "../../state/now.js";
import { exactText, leftText } from "../../text/times.js";

const SOON_MS = 30_000;

/** How long the answer can wait; then it is a deny. */
export function Countdown({ from, to }: { readonly from: number; readonly to: number }) {
  const left = Math.max(0, to - now.value);
  const share = Math.min(1, left / Math.max(1, to - from));
  return (
    <span class={`countdown ${left < SOON_MS ? "is-soon" : ""}`} role="timer" title={`Denied at ${exactText(to)}`}>
      <span class="countdown-bar" aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      <span>
        <span class="dim">denied in</span> <span class="mono">{leftText(left)}</span> <span class="dim">unless answered</span>
      </span>
    </span>
  );
}
