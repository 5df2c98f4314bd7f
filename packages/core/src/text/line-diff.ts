export interface DiffLine {
  readonly kind: "same" | "gone" | "new";
  readonly text: string;
}

/** Above this many pairs of lines to compare, everything that differs is shown as replaced. */
const MAX_PAIRS = 4_000_000;

/** What became of each line, along a longest common subsequence. */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  const room = Math.min(before.length, after.length);
  let start = 0;
  while (start < room && before[start] === after[start]) start++;
  let end = 0;
  while (end < room - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const middle = align(before.slice(start, before.length - end), after.slice(start, after.length - end));
  return [...before.slice(0, start).map(line("same")), ...middle, ...before.slice(before.length - end).map(line("same"))];
}

function line(kind: DiffLine["kind"]): (text: string) => DiffLine {
  return (text) => ({ kind, text });
}

function align(before: readonly string[], after: readonly string[]): DiffLine[] {
  if (before.length * after.length > MAX_PAIRS) return [...before.map(line("gone")), ...after.map(line("new"))];
  const lengths = commonLengths(before, after);
  const lines: DiffLine[] = [];
  let [a, b] = [0, 0];
  while (a < before.length || b < after.length) {
    const [old, next] = [before[a], after[b]];
    const [skipOld, skipNew] = [lengths[a + 1]?.[b] ?? -1, lengths[a]?.[b + 1] ?? -1];
    if (old !== undefined && old === next) {
      lines.push({ kind: "same", text: old });
      a++;
      b++;
    } else if (old !== undefined && (next === undefined || skipOld >= skipNew)) {
      lines.push({ kind: "gone", text: old });
      a++;
    } else if (next !== undefined) {
      lines.push({ kind: "new", text: next });
      b++;
    }
  }
  return lines;
}

/** `lengths[a][b]`: how many lines the rest of `before` from `a` and of `after` from `b` have in common, in order. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint32Array[] {
  const rows = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  for (let a = before.length - 1; a >= 0; a--)
    for (let b = after.length - 1; b >= 0; b--) {
      const [row, below] = [rows[a] as Uint32Array, rows[a + 1] as Uint32Array];
      row[b] = before[a] === after[b] ? (below[b + 1] ?? 0) + 1 : Math.max(below[b] ?? 0, row[b + 1] ?? 0);
    }
  return rows;
}
