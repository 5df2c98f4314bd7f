const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** Numbers come from outside, too: an invalid one is shown as `?`. */
const NO_NUMBER = "?";

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

export function countText(count: number): string {
  return isNumber(count) ? whole.format(count) : NO_NUMBER;
}

/** Short enough for a table: 950, 12.4k, 3.1M. */
export function shortCount(count: number): string {
  if (!isNumber(count) || count < 10_000) return countText(count);
  const [size, unit] = count < 1_000_000 ? [count / 1_000, "k"] : [count / 1_000_000, "M"];
  return `${size < 100 ? size.toFixed(1) : size.toFixed(0)}${unit}`;
}

export function pluralText(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

export function bytesText(bytes: number): string {
  if (!isNumber(bytes)) return NO_NUMBER;
  const power = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const size = bytes / 1_000 ** power;
  return `${power === 0 || size >= 100 ? size.toFixed(0) : size.toFixed(1)} ${UNITS[power]}`;
}

/** How long something took: 0.04 ms, 12 ms, 3.4 s, 2 min 5 s, 3 h 12 min. */
export function durationText(ms: number): string {
  if (!isNumber(ms)) return NO_NUMBER;
  if (ms === 0) return "0 ms";
  if (ms < 1) return `${ms < 0.01 ? "<0.01" : ms.toFixed(2)} ms`;
  if (ms < 1_000) return `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return inTwo([minutes, "min"], [Math.floor((ms % 60_000) / 1_000), "s"]);
  return inTwo([Math.floor(minutes / 60), "h"], [minutes % 60, "min"]);
}

function inTwo([large, unit]: readonly [number, string], [small, smaller]: readonly [number, string]): string {
  return small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smaller}`;
}

export function costText(usd: number): string {
  if (!isNumber(usd)) return NO_NUMBER;
  return `$${usd < 0.01 ? usd.toFixed(4) : usd.toFixed(2)}`;
}
