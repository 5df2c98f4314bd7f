/** Looks again at what could not be read, until it could. */
export interface SecondLook {
  /** After every look. */
  after(isWhole: boolean): void;
  close(): void;
}

const FIRST_MS = 500;
const MAX_MS = 30_000;

/** What is broken may stay so, therefore the pauses grow. Does not keep the process alive. */
export function createSecondLook(look: () => void): SecondLook {
  let pauseMs = FIRST_MS;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  return {
    after(isWhole) {
      clearTimeout(timer);
      if (isWhole) pauseMs = FIRST_MS;
      if (isWhole || isClosed) return;
      timer = setTimeout(look, pauseMs).unref();
      pauseMs = Math.min(pauseMs * 2, MAX_MS);
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
