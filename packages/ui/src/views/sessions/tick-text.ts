const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

/** A time since the beginning, as exact as it takes to tell ticks apart that are `stepMs` from each other: 0, 250 ms, 41.25 s, 2 min 3.5 s. */
export function tickText(ms: number, stepMs: number): string {
  if (Math.abs(ms) < stepMs / 1_000) return "0";
  return ms < 0 ? `−${spanText(-ms, stepMs)}` : spanText(ms, stepMs);
}

function spanText(ms: number, stepMs: number): string {
  if (ms < SECOND && stepMs < SECOND) return `${ms.toFixed(digitsFor(stepMs))} ms`;
  const digits = digitsFor(stepMs / SECOND);
  if (ms < MINUTE) return `${(ms / SECOND).toFixed(digits)} s`;
  // As a whole of its last digit, so that 59.96 s is not followed by 60.0 s.
  const whole = Math.round((ms / SECOND) * 10 ** digits) * (SECOND / 10 ** digits);
  const parts = [
    [Math.floor(whole / HOUR), "h"],
    [Math.floor((whole % HOUR) / MINUTE), "min"],
    [((whole % MINUTE) / SECOND).toFixed(digits), "s"],
  ].filter(([amount]) => Number(amount) !== 0);
  return parts.map(([amount, unit]) => `${amount} ${unit}`).join(" ");
}

/** Ticks are rarely whole: one digit more than their distance has. */
function digitsFor(step: number): number {
  return step >= 5 ? 0 : Math.min(3, Math.max(1, Math.ceil(1 - Math.log10(step))));
}
