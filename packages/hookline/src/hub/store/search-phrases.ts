/** A part of what is searched for: words that stand one after the other. */
export interface Phrase {
  readonly text: string;
  /** Stood in quotes, so the last word may not go on. */
  readonly isExact: boolean;
}

/** What a person types, cut into phrases: what stands in quotes is one, and so is everything else up to a blank. */
export function phrasesOf(text: string): readonly Phrase[] {
  return Array.from(text.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, plain]) => ({
    text: quoted ?? plain ?? "",
    isExact: quoted !== undefined,
  })).filter((phrase) => /[\p{L}\p{N}]/u.test(phrase.text));
}

/** The same in FTS5's own words: whatever a person types is quoted, and never its syntax. */
export function toSearch(text: string): string {
  return phrasesOf(text)
    .map((phrase) => `"${phrase.text.replaceAll('"', '""')}"${phrase.isExact ? "" : "*"}`)
    .join(" ");
}
