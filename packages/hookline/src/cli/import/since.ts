const UNITS_MS: { readonly [unit: string]: number } = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Milliseconds since 1970 of a time that `option-values.ts` accepts: an age such as `30d`, or a date. */
export function sinceOf(time: string, now = Date.now()): number {
  const [, count, unit] = /^(\d+)([smhdw])$/.exec(time) ?? [];
  if (count !== undefined && unit !== undefined) return now - Number(count) * (UNITS_MS[unit] ?? 0);
  return /^\d+$/.test(time) ? Number(time) : Date.parse(time);
}
