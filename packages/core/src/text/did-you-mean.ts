/** ` Did you mean "x"?` when a candidate is close enough to be meant, else nothing. */
export function didYouMean(wrong: string, candidates: Iterable<string>): string {
  return thisInstead(closest(wrong, candidates));
}

/** The same for what is known to be meant, if it is. */
export function thisInstead(meant: string | undefined): string {
  return meant === undefined ? "" : ` Did you mean "${meant}"?`;
}

/** The candidate that takes the fewest changes of letters, if these are few enough. */
export function closest(wrong: string, candidates: Iterable<string>, most = Math.max(2, Math.floor(wrong.length / 3))): string | undefined {
  if (wrong.length > 64) return undefined;
  const needle = wrong.toLowerCase();
  let best: string | undefined;
  let bestDistance = most + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wrong.length) >= bestDistance) continue;
    const distance = editDistance(needle, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Letters to change, add, leave out, or swap with their neighbour. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwap ? (before[j - 2] as number) + 1 : Number.POSITIVE_INFINITY;
      current[j] = Math.min((previous[j] as number) + 1, (current[j - 1] as number) + 1, change, swap);
    }
    before = previous;
    previous = current;
  }
  return previous[b.length] as number;
}
