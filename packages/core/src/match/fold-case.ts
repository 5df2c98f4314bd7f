/**
 * Folds the case of a character, to compare names in any case. Each character is folded alone, without regard to the locale or its place in a
 * word, and stays one character. Names are nearly always ASCII, so a table for the rest is not worth its size.
 */
export function foldCode(code: number): number {
  if (code < 128) return code >= 65 && code <= 90 ? code + 32 : code;
  const character = String.fromCodePoint(code);
  const folded = character.toLowerCase();
  return folded.length === character.length ? (folded.codePointAt(0) as number) : code;
}

export function foldCase(text: string): string {
  return Array.from(text, (character) => String.fromCodePoint(foldCode(character.codePointAt(0) as number))).join("");
}

/** Nothing is allocated per name: most differ in their length or their first letter. */
export function compileSameName(wanted: string): (name: string) => boolean {
  const folded = foldCase(wanted);
  return (name) => name === wanted || isFoldedTo(name, folded);
}

export function compileNamePart(wanted: string): (name: string) => boolean {
  const folded = foldCase(wanted);
  return (name) => foldCase(name).includes(folded);
}

function isFoldedTo(text: string, folded: string): boolean {
  if (text.length !== folded.length) return false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 128) return foldCase(text) === folded;
    if (foldCode(code) !== folded.charCodeAt(at)) return false;
  }
  return true;
}
