const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

/** A time since the beginning, as exact as it takes to tell ticks apart that are `stepMs` from each other: 0, 250 ms, 41.25 s, 2 min 3.5 s. */
export function tickText(ms: number, stepMs: number): string {
  if (Math.abs(ms) < stepMs / 1_000) return "0";
  return ms < 0 ? `−${spanText(-ms, stepMs)}` : spanText(ms, stepMs);
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400];

/** The smallest step of a kind that clocks have which is at least as long: 2 ms, 0.5 s, 15 s, 5 min. */
export function niceStep(atLeastMs: number): number {
  const seconds = atLeastMs / SECOND;
  const found = seconds > 0.5 ? STEPS.find((step) => step >= seconds) : undefined;
  if (found !== undefined) return found * SECOND;
  const power = 10 ** Math.floor(Math.log10(Math.max(atLeastMs, 0.001)));
  return power * ([1, 2, 5, 10].find((times) => times * power >= atLeastMs) ?? 10);
}

/** The multiples of a step within a range. */
export function ticksBetween(from: number, to: number, stepMs: number): number[] {
  const first = Math.ceil(from / stepMs);
  return Array.from({ length: Math.max(0, Math.floor(to / stepMs) - first + 1) }, (_, tick) => (first + tick) * stepMs);
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
