/** ` Did you mean "x"?` when a candidate is close enough to be meant, else nothing. */
export function didYouMean(wrong: string, candidates: Iterable<string>): string {
  const meant = closest(wrong, candidates);
  return meant === undefined ? "" : ` Did you mean "${meant}"?`;
}

/** The candidate with the fewest letters to change, if they are few enough. */
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

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current[j] = Math.min((previous[j] as number) + 1, (current[j - 1] as number) + 1, swap);
    }
    previous = current;
  }
  return previous[b.length] as number;
}
