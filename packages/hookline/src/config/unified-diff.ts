import { diffLines } from "@hookline/core/internal/text";

const CONTEXT = 3;
const SIGNS = { same: " ", gone: "-", new: "+" } as const;

interface Line {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** The difference of two texts as `diff -u` and `git` write it; empty if there is none. `undefined` means that there is no file. */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return "";
  const lines = diffLines(linesOf(before ?? ""), linesOf(after ?? "")).map(({ kind, text }) => ({ sign: SIGNS[kind], text }));
  const from = before === undefined ? "/dev/null" : `a${slashed(path)}`;
  const to = after === undefined ? "/dev/null" : `b${slashed(path)}`;
  return `--- ${from}\n+++ ${to}\n${hunksOf(lines).join("")}`;
}

function slashed(path: string): string {
  return path.startsWith("/") ? path : `/${path}`;
}

/** Keeps line ends, so that a missing last one counts. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
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
