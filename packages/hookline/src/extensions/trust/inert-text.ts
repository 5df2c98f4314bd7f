// What a terminal acts on, what turns or hides text, and halves of pairs.
const ACTIVE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Somebody else's text on one line, such that it does nothing but stand there. */
export function inertText(text: string): string {
  return text.replace(ACTIVE, (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`);
}
