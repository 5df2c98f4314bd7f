import { eachStep, packWho, STEP } from "./handler-steps.js";

/** Names that only one decision has must not make a second store of the counts. */
const MAX_HANDLERS = 1_000;
const OTHERS = packWho("", "(others)");
/** Replaces the app for handlers of the hub: a rule is one handler for all agents. */
export const HUB = "";

export interface HandlerCell {
  calls: number;
  denied: number;
  asked: number;
  failed: number;
  lastAt: number;
  readonly times: Map<number, number>;
}

/** An app and an event, and what its handlers did, by their packed names. */
interface Asked {
  readonly app: string;
  readonly event: string;
  readonly cells: Map<string, HandlerCell>;
}

/** What handlers did in one minute of a batch. */
export class HandlerTally {
  readonly #asked = new Map<string, Asked>();
  #size = 0;

  get asked(): Iterable<Asked> {
    return this.#asked.values();
  }

  add(packed: string, { app, event, at }: { readonly app: string; readonly event: string; readonly at: number }): void {
    let asked: Asked | undefined;
    let isHub = false;
    eachStep(packed, (who, flags, bucket) => {
      const isNext = (flags & STEP.hub) !== 0;
      if (asked === undefined || isNext !== isHub) asked = this.#askedBy(isNext ? HUB : app, event);
      isHub = isNext;
      count(this.#cell(asked, who), flags, bucket, at);
    });
  }

  #askedBy(app: string, event: string): Asked {
    const key = `${app}\n${event}`;
    let asked = this.#asked.get(key);
    if (asked === undefined) {
      asked = { app, event, cells: new Map() };
      this.#asked.set(key, asked);
    }
    return asked;
  }

  #cell(asked: Asked, who: string): HandlerCell {
    const known = asked.cells.get(who);
    if (known !== undefined) return known;
    if (this.#size >= MAX_HANDLERS && who !== OTHERS) return this.#cell(asked, OTHERS);
    this.#size++;
    const cell: HandlerCell = { calls: 0, denied: 0, asked: 0, failed: 0, lastAt: 0, times: new Map() };
    asked.cells.set(who, cell);
    return cell;
  }
}

function count(cell: HandlerCell, flags: number, bucket: number | undefined, at: number): void {
  cell.calls++;
  if (at > cell.lastAt) cell.lastAt = at;
  if (flags & STEP.denied) cell.denied++;
  if (flags & STEP.asked) cell.asked++;
  if (flags & STEP.failed) cell.failed++;
  if (bucket !== undefined) cell.times.set(bucket, (cell.times.get(bucket) ?? 0) + 1);
}
