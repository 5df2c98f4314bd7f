/** A batch that is on its way to the server. */
export interface Shipment {
  readonly after: number;
  readonly upTo: number;
  /** Of which course it is part. */
  readonly course: number;
}

/** How far a host's events have got. Each position is at most the one before it: on their way, on the server, in the fleet's store. */
export class Positions {
  #shipped = 0;
  #sent = 0;
  #confirmed = 0;
  /** The newest confirmation of what was shipped. It may come before the server's answer to the batch itself is read. */
  #heard = 0;
  #setBacks = 0;
  /** The furthest position that was shipped, also if it is to be shipped again … */
  #offered = 0;
  /** … and the furthest since the fleet hub asked for something again. */
  #offeredSince = 0;
  #course = 0;

  /** Batches up to this position are on their way, or have arrived. */
  get shipped(): number {
    return this.#shipped;
  }

  /** The server has everything up to this position. */
  get sent(): number {
    return this.#sent;
  }

  /** The fleet's store has everything up to this position. */
  get confirmed(): number {
    return this.#confirmed;
  }

  /** The fleet hub says that its store has everything up to this position. */
  get heard(): number {
    return this.#heard;
  }

  /** How often the fleet hub asked for events again. */
  get setBacks(): number {
    return this.#setBacks;
  }

  /** Another number whenever the next position to ship changes by something else than a shipment. What was read before is not to be shipped. */
  get course(): number {
    return this.#course;
  }

  /** Everything after this position is sent. */
  begin(confirmed: number): void {
    this.#offered = this.#offeredSince = this.#shipped = this.#sent = this.#confirmed = this.#heard = confirmed;
  }

  ship(upTo: number): Shipment {
    const shipment = { after: this.#shipped, upTo, course: this.#course };
    this.#shipped = upTo;
    this.#offered = Math.max(this.#offered, upTo);
    this.#offeredSince = Math.max(this.#offeredSince, upTo);
    return shipment;
  }

  /** The server has stored a batch. False if that does not count: the course changed meanwhile, or a batch before this one was refused. */
  arrived({ after, upTo, course }: Shipment): boolean {
    if (course !== this.#course || after !== this.#sent) return false;
    this.#sent = upTo;
    this.#confirmed = Math.max(this.#confirmed, Math.min(this.#heard, upTo));
    return true;
  }

  /** A batch was not stored: it and those after it are shipped again. */
  shipAgain(): void {
    this.#shipped = this.#sent;
  }

  /**
   * The fleet hub confirms a position; true if that is news. A replica may tell an old one, so it never goes back here. Of a store that was
   * restored from a backup, the fleet knows more than there is: what was never shipped cannot be confirmed. What is to be shipped again may have
   * arrived after all, and need not be.
   *
   * `isKept`: the server has kept it from an unknown time, perhaps from before the fleet hub asked for something again. What the hub itself says
   * comes after what it asked, and is true even if it goes beyond that.
   */
  confirm(position: number, { isKept = false } = {}): boolean {
    if (position <= this.#confirmed || position > (isKept ? this.#offeredSince : this.#offered)) return false;
    if (position > this.#shipped) {
      // What is on its way does not count any more.
      this.#course++;
      this.#shipped = this.#sent = position;
    }
    this.#heard = Math.max(this.#heard, position);
    const before = this.#confirmed;
    this.#confirmed = Math.max(before, Math.min(this.#heard, this.#sent));
    return this.#confirmed > before;
  }

  /** The fleet hub wants everything after this position again. */
  setBack(position: number): void {
    this.#setBacks++;
    this.#course++;
    // What the fleet says that it does not have, it cannot have confirmed before.
    this.#offeredSince = this.#shipped = this.#sent = position;
    this.#confirmed = this.#heard = Math.min(this.#confirmed, position);
  }
}
