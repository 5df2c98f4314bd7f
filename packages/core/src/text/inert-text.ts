// Control characters with their 8-bit forms, marks that turn the direction of text or cannot be seen, line separators, halves of pairs:
// a terminal may act on any of them, and a reader is misled by the rest. The joiners within emoji and scripts may stay.
const ACTIVE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const ACTIVE_BUT_LINES = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Text from elsewhere on one line: what a terminal would act on, or a reader not see, is written out, such as `\x1b`. */
export function inertText(text: string): string {
  return text.replace(ACTIVE, written);
}

/** The same for text of several lines: line ends and tabs stay. */
export function inertLines(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(ACTIVE_BUT_LINES, written);
}

const short: { readonly [character: string]: string } = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function written(found: string): string {
  const code = found.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code > 0xffff) return `\\u{${hex}}`;
  return short[found] ?? (code < 0x100 ? `\\x${hex.padStart(2, "0")}` : `\\u${hex.padStart(4, "0")}`);
}
