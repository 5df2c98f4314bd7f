/**
 * Text search over one event as the store's index does it (FTS5, unicode61): an event is its JSON text cut into words of letters and
 * digits, without case and accents; what is searched for are words that must all occur, each also as the beginning of a longer one.
 */
export function createTextMatcher(text: string): (body: string) => boolean {
  const phrases = text
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .map(wordsOf);
  return (body) => {
    const words = wordsOf(body);
    return phrases.every((phrase) => hasPhrase(words, phrase));
  };
}

/** The words of a text, in order. */
export function wordsOf(text: string): readonly string[] {
  if (ASCII.test(text)) return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return (text.match(WORD) ?? []).map(fold).filter((word) => word !== "");
}

/** What was typed as one word, such as `no-rm`, is several here: one after the other, and the last may go on. */
function hasPhrase(words: readonly string[], phrase: readonly string[]): boolean {
  const last = phrase.length - 1;
  for (let start = 0; start + last < words.length; start++) {
    const isHere = phrase.every((word, i) => (i < last ? words[start + i] === word : words[start + i]?.startsWith(word)));
    if (isHere) return true;
  }
  return false;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant.
const ASCII = /^[\x00-\x7f]*$/;
/** The accents that unicode61 takes for a part of the letter before them. */
const ACCENTS = "\u0300-\u0304\u0306-\u030c\u030f\u0311\u031b\u0323-\u0328\u032d\u032e\u0330\u0331";
const WORD = new RegExp(`[\\p{L}\\p{N}\\p{Co}\\p{Cn}${ACCENTS}]+`, "gu");
const ACCENT = new RegExp(`[${ACCENTS}]`, "u");

function fold(word: string): string {
  let folded = "";
  for (const letter of word) folded += ACCENT.test(letter) ? "" : foldLetter(letter);
  return folded;
}

function foldLetter(letter: string): string {
  const [base = "", mark, ...more] = letter.normalize("NFD");
  // Only a letter of ASCII under one accent loses it.
  const plain = mark !== undefined && more.length === 0 && /[a-z]/i.test(base) ? base : letter;
  const lower = plain.toLowerCase();
  return SAME.get(lower) ?? lower;
}

/** Letters with a second small form. */
const SAME: ReadonlyMap<string, string> = new Map([
  ["ς", "σ"],
  ["µ", "μ"],
  ["ſ", "s"],
  ["ẛ", "s"],
]);
