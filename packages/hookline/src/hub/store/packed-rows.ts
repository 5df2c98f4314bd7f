import type { Origin } from "../ingest/origins.js";
import type { Row } from "./row.js";

/** Texts that many rows share. */
const SHARED = ["event", "app", "instance", "session", "sessionApp", "sessionInstance", "tool", "verdict", "host"] as const;
type Shared = Pick<Row, (typeof SHARED)[number]>;
/** What few rows have. */
type Rest = Omit<Row, keyof Shared | "id" | "at" | "body" | "origin">;

const NOTHING: Rest = {
  parent: null,
  isAsked: false,
  isImported: false,
  deniedBy: null,
  askedBy: null,
  gateMs: null,
  steps: null,
  agent: null,
  model: null,
  cwd: null,
  title: null,
  usage: null,
  transcript: null,
};
const REST = Object.keys(NOTHING) as readonly (keyof Rest)[];

/**
 * Rows on their way to the store's thread. A message is copied value by value, and a row as an object of 25 fields costs more than its insertion
 * into an index: so all bodies are one text, and what many rows share is there once.
 */
export interface PackedRows {
  readonly ids: readonly string[];
  readonly times: Float64Array;
  readonly bodies: string;
  /** Where each body ends. */
  readonly ends: Uint32Array;
  /** Texts that rows share, and from where each row has its own: the number of the text for each of `SHARED`, 0 for none. */
  readonly texts: readonly (string | null)[];
  readonly numbers: Uint32Array;
  readonly origins: readonly Origin[];
  /** Each row's origin, from 1. */
  readonly originNumbers: Uint32Array;
  readonly rest: ReadonlyMap<number, Rest>;
}

export function packRows(rows: readonly Row[]): PackedRows {
  const count = rows.length;
  const [times, ends] = [new Float64Array(count), new Uint32Array(count)];
  const [numbers, originNumbers] = [new Uint32Array(count * SHARED.length), new Uint32Array(count)];
  const [ids, bodies]: [string[], string[]] = [[], []];
  const texts = new Map<string | null, number>([[null, 0]]);
  const origins = new Map<Origin | null, number>([[null, 0]]);
  const rest = new Map<number, Rest>();
  let [at, end] = [0, 0];
  for (let index = 0; index < count; index++) {
    const row = rows[index] as Row;
    ids.push(row.id);
    bodies.push(row.body);
    end += row.body.length;
    ends[index] = end;
    times[index] = row.at;
    for (const field of SHARED) numbers[at++] = numberOf(texts, row[field]);
    originNumbers[index] = numberOf(origins, row.origin);
    if (hasMore(row)) rest.set(index, restOf(row));
  }
  const known = [...origins.keys()].flatMap((origin) => origin ?? []);
  return { ids, times, bodies: bodies.join(""), ends, texts: [...texts.keys()], numbers, origins: known, originNumbers, rest };
}

export function unpackRows({ ids, times, bodies, ends, texts, numbers, origins, originNumbers, rest }: PackedRows): Row[] {
  let [at, start] = [0, 0];
  const text = (): string | null => texts[numbers[at++] as number] as string | null;
  return ids.map((id, index) => {
    const end = ends[index] as number;
    const body = bodies.slice(start, end);
    start = end;
    return {
      id,
      at: times[index] as number,
      // In the order of `SHARED`.
      event: text() as string,
      app: text() as string,
      instance: text() as string,
      session: text(),
      sessionApp: text(),
      sessionInstance: text(),
      tool: text(),
      verdict: text(),
      host: text(),
      body,
      origin: origins[(originNumbers[index] as number) - 1] ?? null,
      ...(rest.size === 0 ? NOTHING : (rest.get(index) ?? NOTHING)),
    };
  });
}

function numberOf<T>(numbers: Map<T, number>, value: T): number {
  const known = numbers.get(value);
  if (known !== undefined) return known;
  const next = numbers.size;
  numbers.set(value, next);
  return next;
}

function hasMore(row: Row): boolean {
  for (const field of REST) if (row[field] !== NOTHING[field]) return true;
  return false;
}

function restOf({ parent, isAsked, isImported, deniedBy, askedBy, gateMs, steps, agent, model, cwd, title, usage, transcript }: Row): Rest {
  return { parent, isAsked, isImported, deniedBy, askedBy, gateMs, steps, agent, model, cwd, title, usage, transcript };
}
