const CONTEXT = 3;
/** Above this many pairs of lines to compare, what differs is shown as one block. */
const MAX_PAIRS = 4_000_000;

interface Line {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** The difference of two texts as `diff -u` and `git` write it; empty when there is none. `undefined`: there is no file. */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return "";
  const lines = compare(linesOf(before ?? ""), linesOf(after ?? ""));
  const from = before === undefined ? "/dev/null" : `a${slashed(path)}`;
  const to = after === undefined ? "/dev/null" : `b${slashed(path)}`;
  return `--- ${from}\n+++ ${to}\n${hunksOf(lines).join("")}`;
}

function slashed(path: string): string {
  return path.startsWith("/") ? path : `/${path}`;
}

/** Lines with their ends, so that a missing last one counts. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function compare(before: readonly string[], after: readonly string[]): Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const room = Math.min(before.length, after.length) - start;
  while (end < room && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const same = (text: string): Line => ({ sign: " ", text });
  const middle = align(before.slice(start, before.length - end), after.slice(start, after.length - end));
  return [...before.slice(0, start).map(same), ...middle, ...before.slice(before.length - end).map(same)];
}

/** Along a longest common subsequence. */
function align(before: readonly string[], after: readonly string[]): Line[] {
  if (before.length * after.length > MAX_PAIRS) return [...before.map(gone), ...after.map(come)];
  const lengths = commonLengths(before, after);
  const lines: Line[] = [];
  let [a, b] = [0, 0];
  while (a < before.length || b < after.length) {
    const [old, next] = [before[a], after[b]];
    const [skipOld, skipNew] = [lengths[a + 1]?.[b] ?? -1, lengths[a]?.[b + 1] ?? -1];
    if (old !== undefined && old === next) {
      lines.push({ sign: " ", text: old });
      a++;
      b++;
    } else if (old !== undefined && (next === undefined || skipOld >= skipNew)) {
      lines.push(gone(old));
      a++;
    } else if (next !== undefined) {
      lines.push(come(next));
      b++;
    }
  }
  return lines;
}

function commonLengths(before: readonly string[], after: readonly string[]): Uint32Array[] {
  const rows = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  for (let a = before.length - 1; a >= 0; a--)
    for (let b = after.length - 1; b >= 0; b--) {
      const [row, below] = [rows[a] as Uint32Array, rows[a + 1] as Uint32Array];
      row[b] = before[a] === after[b] ? (below[b + 1] ?? 0) + 1 : Math.max(below[b] ?? 0, row[b + 1] ?? 0);
    }
  return rows;
}

function hunksOf(lines: readonly Line[]): string[] {
  const changed = lines.flatMap(({ sign }, at) => (sign === " " ? [] : [at]));
  const spans: { start: number; end: number }[] = [];
  for (const at of changed) {
    const last = spans.at(-1);
    if (last !== undefined && at - CONTEXT <= last.end + CONTEXT) last.end = at + 1;
    else spans.push({ start: at, end: at + 1 });
  }
  return spans.map(({ start, end }) => hunk(lines, Math.max(0, start - CONTEXT), Math.min(lines.length, end + CONTEXT)));
}

function hunk(lines: readonly Line[], start: number, end: number): string {
  const inside = lines.slice(start, end);
  const range = (other: "+" | "-") => {
    const first = lines.slice(0, start).filter(({ sign }) => sign !== other).length;
    const count = inside.filter(({ sign }) => sign !== other).length;
    return `${count === 0 ? first : first + 1},${count}`;
  };
  const body = inside.map(({ sign, text }) => (text.endsWith("\n") ? `${sign}${text}` : `${sign}${text}\n\\ No newline at end of file\n`));
  return `@@ -${range("+")} +${range("-")} @@\n${body.join("")}`;
}

function gone(text: string): Line {
  return { sign: "-", text };
}

function come(text: string): Line {
  return { sign: "+", text };
}
