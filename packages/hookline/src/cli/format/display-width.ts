// Good enough for a column: wide characters of East Asian Width, and emoji.
const WIDE =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const NO_WIDTH = /\p{Mn}|\p{Me}|\u200c|\u200d/u;
const PRINTABLE_ASCII = /^[ -~]*$/;

/** How many columns of a terminal the text takes. It must not contain control characters. */
export function displayWidth(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += widthOf(character);
  return width;
}

/** The text, cut to so many columns; `…` in the last one shows the cut. */
export function cutTo(text: string, columns: number): string {
  // A text is at most twice as wide as its length, so a short text need not be measured.
  if (text.length * 2 <= columns || (text.length <= columns && displayWidth(text) <= columns)) return text;
  if (columns <= 1) return columns < 1 ? "" : "…";
  let width = 0;
  let end = 0;
  for (const character of text) {
    width += widthOf(character);
    if (width > columns) return `${cutOne(text.slice(0, end))}…`;
    end += character.length;
  }
  return text;
}

/** The text in lines of at most so many columns, at least two. */
export function wrapTo(text: string, columns: number): string[] {
  const lines: string[] = [];
  let start = 0;
  let end = 0;
  let width = 0;
  for (const character of text) {
    const next = widthOf(character);
    if (width + next > columns) {
      lines.push(text.slice(start, end));
      [start, width] = [end, 0];
    }
    width += next;
    end += character.length;
  }
  return [...lines, text.slice(start)];
}

export function padTo(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - displayWidth(text)));
}

function widthOf(character: string): number {
  if (PRINTABLE_ASCII.test(character)) return 1;
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

function cutOne(text: string): string {
  return Array.from(text).slice(0, -1).join("");
}
