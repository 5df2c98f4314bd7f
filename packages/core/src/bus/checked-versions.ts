import type { Registration } from "./registration.js";

/** Rounds in which guards look again at each other's rewrites before the call is denied. */
export const MAX_ROUNDS = 8;
const UNCHECKED = -1;
const NONE_LEFT = -1;

/** Which guards have checked which version of a payload, and which must check next. */
export class CheckedVersions {
  /** Counts the rewrites. */
  version = 0;
  round = 0;
  /** The handlers that rewrote in this round: the ones to name when they never agree. */
  rewriters: Registration[] = [];
  readonly #handlers: readonly Registration[];
  readonly #checked: number[];
  #index = 0;
  #rounds = 0;

  constructor(handlers: readonly Registration[]) {
    this.#handlers = handlers;
    this.#checked = new Array<number>(handlers.length).fill(UNCHECKED);
  }

  /** The next handler of this round that has not seen the payload as it is; -1 when the round is over. */
  next(): number {
    while (this.#index < this.#checked.length) {
      const index = this.#index++;
      if (this.#mustCheck(index)) return index;
    }
    return NONE_LEFT;
  }

  get isSettled(): boolean {
    return this.version === 0 || !this.#checked.some((_, index) => this.#mustCheck(index));
  }

  /** Begins the next round; false when there have been too many. */
  startRound(): boolean {
    this.round++;
    if (++this.#rounds > MAX_ROUNDS) return false;
    this.rewriters = [];
    this.#index = 0;
    return true;
  }

  /** Starts again after a person's answer. */
  restart(): void {
    this.round++;
    this.#rounds = 0;
    this.#index = 0;
  }

  /** Begins after the handlers before `index`, which have all passed. */
  startAt(index: number): void {
    for (let i = 0; i < index; i++) this.#checked[i] = 0;
    this.#index = index;
  }

  isFirst(index: number): boolean {
    return this.#checked[index] === UNCHECKED;
  }

  checked(index: number): void {
    this.#checked[index] = this.version;
  }

  /** The payload has changed; its author, if a handler, has seen what it wrote. */
  changed(author?: Registration): void {
    this.version++;
    if (author === undefined) return;
    this.rewriters.push(author);
    this.checked(this.#handlers.indexOf(author));
  }

  // Stage rewrite runs once, in order; guards look at every version.
  #mustCheck(index: number): boolean {
    return this.#handlers[index]?.parts.stage === "rewrite" ? this.isFirst(index) : this.#checked[index] !== this.version;
  }
}
