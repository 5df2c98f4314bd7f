const UNITS = ["B", "kB", "MB", "GB", "TB"];
const STEPS = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1_000, "s"],
] as const;

/** `3.4 MB`. */
export function bytesText(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`;
}

/** `2 h 5 m`: the two largest units, whole. */
export function durationText(ms: number): string {
  const first = STEPS.findIndex(([size]) => ms >= size);
  if (first === -1) return `${Math.max(0, Math.round(ms))} ms`;
  let rest = ms;
  return STEPS.slice(first, first + 2)
    .map(([size, unit]) => {
      const count = Math.floor(rest / size);
      rest -= count * size;
      return count === 0 ? "" : `${count} ${unit}`;
    })
    .filter((part) => part !== "")
    .join(" ");
}

export { countText } from "@hookline/core/internal/text";
