export interface DiffLine {
  readonly kind: "same" | "gone" | "new";
  readonly text: string;
}

/** Past this the table of common lines would be too large: everything is shown as replaced. */
const MAX_CELLS = 4_000_000;

/** What became of each line, by the longest common run of lines. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  if (a.length * b.length > MAX_CELLS) return [...a.map(line("gone")), ...b.map(line("new"))];
  return walk(a, b, commonLengths(a, b));
}

function line(kind: DiffLine["kind"]): (text: string) => DiffLine {
  return (text) => ({ kind, text });
}

/** `lengths[i][j]`: how many lines `a` from `i` and `b` from `j` have in common, in order. */
function commonLengths(a: readonly string[], b: readonly string[]): readonly Uint32Array[] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) {
      const row = lengths[i] as Uint32Array;
      const below = lengths[i + 1] as Uint32Array;
      row[j] = a[i] === b[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  return lengths;
}

function walk(a: readonly string[], b: readonly string[], lengths: readonly Uint32Array[]): DiffLine[] {
  const found: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [here, there] = [a[i], b[j]];
    if (here !== undefined && here === there) {
      found.push({ kind: "same", text: here });
      i++;
      j++;
    } else if (there === undefined || (here !== undefined && (lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0))) {
      found.push({ kind: "gone", text: here ?? "" });
      i++;
    } else {
      found.push({ kind: "new", text: there });
      j++;
    }
  }
  return found;
}
