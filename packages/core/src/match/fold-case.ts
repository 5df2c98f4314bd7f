/**
 * A character in one case, so that names can be compared in any. Each is folded alone: neither the locale nor its place in a word counts, and
 * none becomes two. Names are ASCII nearly always, and the rest is not worth a table.
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
