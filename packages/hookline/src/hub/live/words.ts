import { type Phrase, phrasesOf } from "../store/search-phrases.js";
import { searchedPart } from "../store/text-index.js";

/**
 * Text search over one event as the store's index does it (FTS5, unicode61): an event is its JSON text cut into words of letters and
 * digits, without case and accents; what is searched for are words that must all occur, each also as the beginning of a longer one, and
 * what stands in quotes as it is.
 */
export function createTextMatcher(text: string): (event: Searched) => boolean {
  const phrases = phrasesOf(text).map(({ text: typed, isExact }) => ({ words: wordsOf(typed).join(" "), isExact }));
  if (phrases.length === 0) return () => true;
  return (event) => {
    const words = foldedPartOf(event);
    return phrases.every((phrase) => hasPhrase(words, phrase));
  };
}

/** What is searched: an event as it was stored. */
export interface Searched {
  readonly body: string;
}

/** The words of a text, in order. */
export function wordsOf(text: string): readonly string[] {
  return fold(text)
    .split(" ")
    .filter((word) => word !== "");
}

/** However many search an event, it is folded once. */
function foldedPartOf(event: Searched): string {
  let words = folded.get(event);
  if (words === undefined) {
    words = fold(searchedPart(event.body));
    folded.set(event, words);
  }
  return words;
}

const folded = new WeakMap<Searched, string>();

interface FoldedPhrase extends Pick<Phrase, "isExact"> {
  readonly words: string;
}

/** What was typed as one word, such as `no-rm`, is several here: one after the other, and the last may go on if it is not in quotes. */
function hasPhrase(text: string, { words, isExact }: FoldedPhrase): boolean {
  // A search for the space before it as well would stop at every word: this is up to a hundred times as fast.
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + 1)) {
    if ((at === 0 || text[at - 1] === " ") && (!isExact || isEnd(text, at + words.length))) return true;
  }
  return false;
}

function isEnd(text: string, at: number): boolean {
  return at === text.length || text[at] === " ";
}

/** The words of a text with a space between them: 64 Ki letters in a millisecond or two, of whichever script. */
function fold(text: string): string {
  const units = new Uint16Array(text.length);
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const letter = text.codePointAt(i) as number;
    if (letter > MAX_UNIT) i++;
    const plain = plainOf(letter);
    if (plain === NOTHING || (plain === SPACE && units[length - 1] === SPACE)) continue;
    if (plain <= MAX_UNIT) units[length++] = plain;
    else {
      units[length++] = 0xd7c0 + (plain >> 10);
      units[length++] = 0xdc00 + (plain & 0x3ff);
    }
  }
  return toText(units.subarray(0, length));
}

const MAX_UNIT = 0xffff;
const SPACE = 0x20;
/** What an accent becomes. */
const NOTHING = -1;
/** By letter, as far as they have occurred; 0 for those that have not. */
const plainLetters = new Int32Array(0x110000);

function plainOf(letter: number): number {
  if (plainLetters[letter] === 0) plainLetters[letter] = foldLetter(String.fromCodePoint(letter)).codePointAt(0) ?? NOTHING;
  return plainLetters[letter] as number;
}

/** The accents that unicode61 takes for a part of the letter before them. */
const ACCENT = /[\u0300-\u0304\u0306-\u030c\u030f\u0311\u031b\u0323-\u0328\u032d\u032e\u0330\u0331]/u;
const WORD = /^[\p{L}\p{N}\p{Co}\p{Cn}]$/u;

function foldLetter(letter: string): string {
  if (ACCENT.test(letter)) return "";
  if (!WORD.test(letter)) return " ";
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

/** More arguments than this overflow the stack. */
const AT_ONCE = 8_192;

function toText(units: Uint16Array): string {
  let text = "";
  for (let i = 0; i < units.length; i += AT_ONCE) text += String.fromCharCode(...units.subarray(i, i + AT_ONCE));
  return text;
}
