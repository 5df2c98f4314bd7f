const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** Whether JSON text is nested deeper than so many levels: read off the text, because parsing what is deep is cheap and anything else with it is not. */
export function isDeeperThan(text: string, levels: number): boolean {
  // Most events have fewer brackets than that, wherever they stand: 0.2 µs instead of 0.8.
  return countUpTo(text, "{", levels) + countUpTo(text, "[", levels) > levels && isNestedDeeper(text, levels);
}

/** How often a sign occurs, not counted further than one beyond the limit. */
function countUpTo(text: string, sign: string, limit: number): number {
  let count = 0;
  for (let at = text.indexOf(sign); at >= 0 && count <= limit; at = text.indexOf(sign, at + 1)) count++;
  return count;
}

function isNestedDeeper(text: string, levels: number): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i);
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth > levels) return true;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
  }
  return false;
}

/** Where the text that begins at a quote ends. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}
