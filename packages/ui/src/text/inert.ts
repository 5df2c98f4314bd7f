import { textOf } from "./foreign.js";

// Control characters, marks that turn the direction of text, whatever has no width or no ink, line separators, halves of pairs: a reader is misled by them.
const ACTIVE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const ACTIVE_BUT_LINES = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Somebody else's text on one line, with everything that cannot be seen written out. Bears what is no text, too. */
export function inert(text: string): string {
  return textOf(text).replace(ACTIVE, escaped);
}

/** The same for text of several lines. */
export function inertLines(text: string): string {
  return textOf(text).replace(ACTIVE_BUT_LINES, escaped);
}

const short: { readonly [character: string]: string } = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escaped(found: string, at: number, whole: string): string {
  const code = found.codePointAt(0) ?? 0;
  if (isInPlace(code, whole.slice(Math.max(0, at - 4), at))) return found;
  if (code > 0xffff) return `\\u{${code.toString(16)}}`;
  return short[found] ?? (code < 0x100 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`);
}

const AFTER_EMOJI = /[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?$/u;
const SCRIPTS = "Arabic Syriac Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar";
const AFTER_JOINED_SCRIPT = new RegExp(`[${SCRIPTS.replace(/\w+/g, "\\p{Script=$&}").replaceAll(" ", "")}]$`, "u");

/** Joiners and variation selectors within emoji, and joiners in scripts that need them, are what they look like. */
function isInPlace(code: number, before: string): boolean {
  if (code === 0xfe0f) return AFTER_EMOJI.test(before) && !before.endsWith("\ufe0f");
  return (code === 0x200d && AFTER_EMOJI.test(before)) || ((code === 0x200c || code === 0x200d) && AFTER_JOINED_SCRIPT.test(before));
}

function hex(code: number, width: number): string {
  return code.toString(16).padStart(width, "0");
}
