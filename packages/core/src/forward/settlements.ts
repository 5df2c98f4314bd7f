interface Waiter {
  readonly order: number;
  resolve(isSettled: boolean): void;
}

/** Who waits until all events up to a number are settled. */
export class Settlements {
  readonly #firstOrder: () => number;
  readonly #waiters = new Set<Waiter>();

  constructor(firstOrder: () => number) {
    this.#firstOrder = firstOrder;
  }

  /** Keeps the process alive meanwhile. */
  upTo(order: number, timeoutMs: number): Promise<boolean> {
    if (this.#firstOrder() > order) return Promise.resolve(true);
    return new Promise((resolve) => {
      const waiter: Waiter = {
        order,
        resolve: (isSettled) => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          resolve(isSettled);
        },
      };
      const timer = setTimeout(() => waiter.resolve(false), timeoutMs);
      this.#waiters.add(waiter);
    });
  }

  check(): void {
    if (this.#waiters.size === 0) return;
    const first = this.#firstOrder();
    for (const waiter of [...this.#waiters]) if (first > waiter.order) waiter.resolve(true);
  }
}
