/** Stands for a word that was found. */
export const HIT = -1;
const WIDTH = 64;
/** A character that is in none of the words. */
export const OTHER = 63;

/** Finds any of some words in one pass, with one look-up a character: the table of Aho and Corasick. Case does not matter. */
export interface WordTable {
  /** Of each ASCII character its column. */
  readonly symbols: Uint8Array;
  /** `moves[state + symbol]` is the next state. */
  readonly moves: Int32Array;
}

/** A state is the longest beginning of a word that was just read; 0 is none. */
export function compileWords(words: readonly string[]): WordTable {
  const letters = [...new Set(words.join(""))];
  const symbols = new Uint8Array(128).fill(OTHER);
  for (const [symbol, letter] of letters.entries()) for (const each of [letter, letter.toUpperCase()]) symbols[each.charCodeAt(0)] = symbol;
  const beginnings = words.flatMap((word) => [...word].map((_, length) => word.slice(0, length)));
  const states = [...new Set(["", ...beginnings])];
  const numbers = new Map(states.map((text, index) => [text, index * WIDTH]));
  const moves = new Int32Array(states.length * WIDTH);
  const known = new Set(words);
  for (const [text, number] of numbers)
    for (const [symbol, letter] of letters.entries()) moves[number + symbol] = follow(text + letter, known, numbers);
  return { symbols, moves };
}

function follow(text: string, words: ReadonlySet<string>, states: ReadonlyMap<string, number>): number {
  let next: number | undefined;
  for (let start = 0; start < text.length; start++) {
    const end = text.slice(start);
    if (words.has(end)) return HIT;
    next ??= states.get(end);
  }
  return next ?? 0;
}
