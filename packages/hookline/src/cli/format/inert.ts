// Control characters with their 8-bit forms, marks that turn the direction of text or cannot be seen, line separators, halves of pairs:
// a terminal may act on any of them, and a reader is misled by the rest. The joiners within emoji and scripts may stay.
const ACTIVE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const ACTIVE_BUT_LINES = /(?![\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Text of somebody else's on one line, such that a terminal does nothing but show it. */
export function inert(text: string): string {
  return text.replace(ACTIVE, escaped);
}

/** The same for text of several lines. */
export function inertLines(text: string): string {
  return text.replace(ACTIVE_BUT_LINES, escaped);
}

/** JSON that says the same and can be shown on a terminal. */
export function inertJson(json: string): string {
  return json.replace(ACTIVE_BUT_LINES, (found) =>
    Array.from({ length: found.length }, (_, index) => unicode(found.charCodeAt(index))).join(""),
  );
}

const short: { readonly [character: string]: string } = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escaped(found: string): string {
  const code = found.codePointAt(0) ?? 0;
  if (code > 0xffff) return `\\u{${code.toString(16)}}`;
  return short[found] ?? (code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : unicode(code));
}

function unicode(code: number): string {
  return `\\u${code.toString(16).padStart(4, "0")}`;
}
