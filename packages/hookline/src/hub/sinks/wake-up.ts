/** Somebody sleeps until a time is up or there is something to do. A call while nobody sleeps is kept for the next who would. */
export class WakeUp {
  #isCalled = false;
  #resolve: (() => void) | undefined;

  call(): void {
    this.#isCalled = true;
    this.#resolve?.();
  }

  /** From now on only new calls count. */
  forget(): void {
    this.#isCalled = false;
  }

  async sleep(ms: number): Promise<void> {
    if (this.#isCalled) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#resolve = resolve;
      timer = setTimeout(resolve, ms).unref();
    });
    clearTimeout(timer);
    this.#resolve = undefined;
  }
}
