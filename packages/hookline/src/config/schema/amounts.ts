import { z } from "zod";

/** Node's timers fire at once beyond this value. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const TIMES = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const SIZES = { b: 1, kb: 1_024, mb: 1_024 ** 2, gb: 1_024 ** 3, tb: 1_024 ** 4 };

/** How old something may get: `"30d"`, or a number of milliseconds. */
export const age = amount({
  units: TIMES,
  least: 1,
  most: Number.MAX_SAFE_INTEGER,
  wants: 'a time above 0 such as "30s", "5m", "2h" or "7d", or a number of milliseconds',
});

/** How long a timer waits: at most 24 days. */
export const timeLimit = amount({
  units: TIMES,
  least: 1,
  most: MAX_TIMER_MS,
  wants: 'a time above 0 such as "500ms", "30s" or "5m", or a number of milliseconds, at most 24 days',
});

/** The same; 0 means none. */
export const timeLimitOrNone = amount({
  units: TIMES,
  least: 0,
  most: MAX_TIMER_MS,
  wants: 'a time such as "500ms", "30s" or "5m", or a number of milliseconds, at most 24 days; 0 for none',
});

/** How long a person may take. An attached agent's hook waits ten minutes, and the answer must arrive before that. */
export const patience = amount({
  units: TIMES,
  least: 1,
  most: 9 * TIMES.m,
  wants: 'a time such as "30s" or "5m", or a number of milliseconds, at most 9 minutes',
});

/** `"16MB"`, or a number of bytes. */
export const size = amount({
  units: SIZES,
  least: 1,
  most: Number.MAX_SAFE_INTEGER,
  wants: 'a size above 0 such as "64KB", "16MB" or "2GB", or a number of bytes',
});

/** Of the store. The tables of an empty one take 150 kB: with a limit near that, each event would be deleted as soon as it is stored. */
export const storeSize = amount({
  units: SIZES,
  least: 10 * SIZES.mb,
  most: Number.MAX_SAFE_INTEGER,
  wants: 'a size of at least 10MB such as "500MB" or "2GB", or a number of bytes',
});

interface AmountRule {
  readonly units: { readonly [unit: string]: number };
  readonly least: number;
  readonly most: number;
  readonly wants: string;
}

function amount(rule: AmountRule) {
  const message = `must be ${rule.wants}`;
  return z.union([z.number(), z.string()], message).transform((given, context) => {
    const value = typeof given === "number" ? given : readText(given, rule.units);
    if (Number.isSafeInteger(value) && (value as number) >= rule.least && (value as number) <= rule.most) return value as number;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });
}

function readText(text: string, units: AmountRule["units"]): number | undefined {
  const [, digits, word = ""] = /^\s*(\d{1,15}(?:\.\d{1,6})?)\s*([a-z]+)\s*$/i.exec(text) ?? [];
  const unit = word.toLowerCase().replace(/^([kmgt])ib$/, "$1b");
  return digits === undefined || !Object.hasOwn(units, unit) ? undefined : Math.round(Number(digits) * (units[unit] as number));
}
