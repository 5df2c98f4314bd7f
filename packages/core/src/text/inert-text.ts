// Control characters with their 8-bit forms, marks that turn the direction of text, whatever has no width or no ink, line separators, halves
// of pairs: a terminal may act on any of them, and a reader is misled by the rest.
const ACTIVE = "[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800]";
// Marked pure, so that bundlers leave out what nothing uses.
const ANY = /* @__PURE__ */ new RegExp(ACTIVE, "gu");
const ANY_BUT_LINES = /* @__PURE__ */ new RegExp(`(?![\\n\\t])${ACTIVE}`, "gu");
const ANY_BUT_LINE_ENDS = /* @__PURE__ */ new RegExp(`(?!\\n)${ACTIVE}`, "gu");

/** Text from elsewhere on one line: what a terminal would act on, or a reader not see, is written out, such as `\x1b`. */
export function inertText(text: string): string {
  return replaced(text, ANY, written);
}

/** The same for text of several lines: line ends and tabs stay. */
export function inertLines(text: string): string {
  return replaced(text.replaceAll("\r\n", "\n"), ANY_BUT_LINES, written);
}

/** JSON that says the same and can be shown on a terminal. */
export function inertJson(json: string): string {
  return replaced(json, ANY_BUT_LINE_ENDS, (found) => Array.from({ length: found.length }, (_, at) => unit(found.charCodeAt(at))).join(""));
}

/** Text of several lines as the content of an HTML or XML element, or of an attribute in quotes. */
export function inertHtml(text: string): string {
  return inertLines(text).replace(/[&<>"']/g, (sign) => ENTITIES[sign] as string);
}

/** Text on one line of the same length, with a space for each character that cannot be printed. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, " ");
}

const ENTITIES: { readonly [sign: string]: string } = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const SHORT: { readonly [character: string]: string } = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function replaced(text: string, pattern: RegExp, write: (found: string) => string): string {
  return text.replace(pattern, (found, at: number) => (isInPlace(found, text.slice(Math.max(0, at - 4), at)) ? found : write(found)));
}

const AFTER_EMOJI = /[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?$/u;
const SCRIPTS = "Arabic Syriac Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar";
const AFTER_JOINED_SCRIPT = /* @__PURE__ */ afterAnyOf(SCRIPTS);

function afterAnyOf(scripts: string): RegExp {
  return new RegExp(`[${scripts.replace(/\w+/g, "\\p{Script=$&}").replaceAll(" ", "")}]$`, "u");
}

/** Joiners and variation selectors within emoji, and joiners in scripts that need them, stay as they are. */
function isInPlace(found: string, before: string): boolean {
  if (found === "\ufe0f") return AFTER_EMOJI.test(before) && !before.endsWith("\ufe0f");
  if (found === "\u200d" && AFTER_EMOJI.test(before)) return true;
  return (found === "\u200c" || found === "\u200d") && AFTER_JOINED_SCRIPT.test(before);
}

function written(found: string): string {
  const code = found.codePointAt(0) ?? 0;
  if (code > 0xffff) return `\\u{${code.toString(16)}}`;
  return SHORT[found] ?? (code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : unit(code));
}

function unit(code: number): string {
  return `\\u${code.toString(16).padStart(4, "0")}`;
}
