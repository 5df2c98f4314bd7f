export interface LoginLimit {
  /** Counts a wrong token; true when there have been too many this second. */
  failed(): boolean;
}

/** How many wrong tokens are answered in a second before the answer is to come later. Right ones are never held up by wrong ones. */
export function createLoginLimit(perSecond: number, now: () => number = Date.now): LoginLimit {
  let second = 0;
  let count = 0;
  return {
    failed() {
      const current = Math.floor(now() / 1_000);
      if (current !== second) count = 0;
      second = current;
      return ++count > perSecond;
    },
  };
}
