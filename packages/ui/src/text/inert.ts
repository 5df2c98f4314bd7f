// Control characters, marks that turn the direction of text or cannot be seen, line separators, halves of pairs: a reader is misled by them.
// The joiners within emoji and scripts may stay.
const ACTIVE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const ACTIVE_BUT_LINES = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Somebody else's text on one line, with everything that cannot be seen written out. */
export function inert(text: string): string {
  return text.replace(ACTIVE, escaped);
}

/** The same for text of several lines. */
export function inertLines(text: string): string {
  return text.replace(ACTIVE_BUT_LINES, escaped);
}

const short: { readonly [character: string]: string } = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escaped(found: string): string {
  const code = found.codePointAt(0) ?? 0;
  if (code > 0xffff) return `\\u{${code.toString(16)}}`;
  return short[found] ?? (code < 0x100 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`);
}

function hex(code: number, width: number): string {
  return code.toString(16).padStart(width, "0");
}
