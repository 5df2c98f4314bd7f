/** A source of numbers that a seed fixes: the same seed, the same run, as far as the machine lets it. */
export function createRandom(seed: number): { next(): number; between(low: number, high: number): number; pick<T>(from: readonly T[]): T } {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick: (from) => from[Math.floor(next() * from.length)] as never,
  };
}

/** What a publisher sends: known from its name, the seed and a number, so that the judge can say it again. */
export interface Sending {
  readonly event: (typeof EVENTS)[number];
  readonly payload: { readonly key: string; readonly session: { readonly id: string }; readonly text: string; readonly size: number };
}

/** Of every class: what may be dropped first, and what last. */
const EVENTS = ["message:delta", "tool:progress", "agent:step", "agent:step", "myapp:noted", "session:start"] as const;
const WORDS = [
  "hook",
  "line",
  "sinker",
  "größer",
  "日本",
  "🪝",
  'say "so"',
  "back\\slash",
  "tab\tstop",
  "line\nend",
  "\u2028",
  "null",
  "</script>",
];

export function sendingAt(name: string, seed: number, index: number, minChars = 0): Sending {
  const random = createRandom(seed ^ Math.imul(index + 1, 0x9e3779b1));
  const words = Array.from({ length: random.between(1, 24) }, () => random.pick(WORDS));
  const text = words.join(" ").padEnd(minChars, "filling ");
  return {
    event: random.pick(EVENTS),
    payload: { key: keyOf(name, index), session: { id: `${name}-${index % 3}` }, text, size: random.between(0, 2 ** 31) },
  };
}

export function keyOf(name: string, index: number): string {
  return `${name}#${index}`;
}

/** Whose it is and which, from a stored payload; nothing for a payload that no publisher of ours makes. */
export function readKey(payload: unknown): { readonly name: string; readonly index: number } | undefined {
  const { key } = (payload ?? {}) as { readonly key?: unknown };
  const [, name, index] = typeof key === "string" ? (/^([\w.-]+)#(\d+)$/.exec(key) ?? []) : [];
  return name === undefined ? undefined : { name, index: Number(index) };
}

/** What a publisher is answerable for when all is over. */
export interface Claim {
  readonly name: string;
  readonly seed: number;
  readonly minChars?: number;
  /** Emits that returned. One more may have been under way when the process was killed. */
  readonly emitted: number;
  readonly wasKilled?: boolean;
  /** How many of the first must be there, if not all that were emitted: those acknowledged before a kill. */
  readonly owed?: number;
  /** As the product counts; unknown for a process that was killed. */
  readonly counters?: Counters;
}

export interface Counters {
  readonly accepted: number;
  readonly acked: number;
  readonly pending: number;
  readonly spooled: number;
  readonly dropped: { readonly [reason: string]: number };
  readonly reconnects: number;
  readonly seq: number;
}

export function totalOf(dropped: { readonly [reason: string]: number }): number {
  return Object.values(dropped).reduce((sum, count) => sum + count, 0);
}

/** What a publisher leaves in its file after each emit: how many emits have returned, and how many of the first are acknowledged. */
export function progressText(emitted: number, { acked, dropped }: Pick<Counters, "acked" | "dropped">): string {
  // Where something was dropped, it is not the first ones that are acknowledged.
  return `${String(emitted).padEnd(12)}${String(totalOf(dropped) === 0 ? acked : 0).padEnd(12)}`;
}

export function readProgress(text: string): { readonly emitted: number; readonly acked: number } {
  const [emitted = 0, acked = 0] = text.trim().split(/\s+/).map(Number);
  return { emitted, acked };
}
