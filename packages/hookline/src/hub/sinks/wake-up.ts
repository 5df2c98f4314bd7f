/** Sleeps until the time is up or `call` wakes it. A call while nothing sleeps ends the next sleep at once. */
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
