/**
 * The connections of one socket, up to a number. A new one always finds a place while another is silent: that has not shown a token, or waits
 * for its next request. The one that has been silent longest goes.
 */
export class ConnectionShare<C extends object> {
  readonly #max: number;
  readonly #all = new Set<C>();
  readonly #silent = new Set<C>();

  constructor(max: number) {
    this.#max = max;
  }

  get open(): number {
    return this.#all.size;
  }

  /** Gives the connection that has to go: the new one itself if no other is silent. */
  take(connection: C): C | undefined {
    this.#all.add(connection);
    this.#silent.add(connection);
    if (this.#all.size <= this.#max) return undefined;
    const [oldest = connection] = this.#silent;
    this.left(oldest);
    return oldest;
  }

  /** It has shown a token, and stays until it rests. */
  speaks(connection: C): void {
    this.#silent.delete(connection);
  }

  rests(connection: C): void {
    if (this.#all.has(connection)) this.#silent.add(connection);
  }

  left(connection: C): void {
    this.#all.delete(connection);
    this.#silent.delete(connection);
  }
}
