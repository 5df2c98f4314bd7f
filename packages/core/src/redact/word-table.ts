/** The columns of a state in `moves`. */
export const WIDTH = 64;
/** The column of a character that is in none of the words. */
export const OTHER = 63;
/** What is left of a longer word finds it just as well, in a smaller table. */
const LONGEST = 10;

/** Finds words in one pass with one look-up a character: the table of Aho and Corasick. Case does not matter. */
export interface WordTable {
  /** The column of each ASCII character. */
  readonly symbols: Uint8Array;
  /** `moves[state + symbol]` is the next state. A state is the longest beginning of a word that was just read. */
  readonly moves: Uint16Array;
  /** From this state on, a word has just ended. */
  readonly firstHit: number;
  /** Which lists the words that end in a state come from, by `state / WIDTH`. */
  readonly found: readonly (readonly number[])[];
}

interface WordState {
  /** Which lists the words that end here come from. */
  readonly found: readonly number[];
  /** The next state for each letter, as its text. */
  readonly next: readonly string[];
}

export function compileWords(lists: readonly (readonly string[])[]): WordTable {
  const words = lists.flatMap((list, index) => shortest(list).map((word) => ({ word, index })));
  const letters = [...new Set(words.map(({ word }) => word).join(""))];
  const states = [...statesOf(words, letters)].sort(([, a], [, b]) => Math.sign(a.found.length) - Math.sign(b.found.length));
  if (letters.length > OTHER || states.length * WIDTH > 0xffff) throw new Error("The words of all secrets do not fit into their table.");
  const numbers = new Map(states.map(([text], index) => [text, index * WIDTH]));
  const symbols = new Uint8Array(128).fill(OTHER);
  for (const [symbol, letter] of letters.entries()) for (const each of [letter, letter.toUpperCase()]) symbols[each.charCodeAt(0)] = symbol;
  const moves = new Uint16Array(states.length * WIDTH);
  for (const [row, [, { next }]] of states.entries())
    for (const [symbol, text] of next.entries()) moves[row * WIDTH + symbol] = numbers.get(text) ?? 0;
  const found = states.map(([, state]) => state.found);
  return { symbols, moves, firstHit: found.findIndex(({ length }) => length > 0) * WIDTH, found };
}

/** The beginnings of all words, shorter ones first. Each falls back to its longest suffix that is also a prefix, unless a word says otherwise. */
function statesOf(words: readonly { readonly word: string; readonly index: number }[], letters: readonly string[]): Map<string, WordState> {
  const begins = new Set(words.flatMap(({ word }) => Array.from(word, (_, last) => word.slice(0, last + 1))));
  const states = new Map<string, WordState>();
  for (const text of ["", ...[...begins].sort((a, b) => a.length - b.length)]) {
    const end = text.length < 2 ? "" : longestEnd(text, begins);
    const { found = [], next = [] } = text === "" ? {} : (states.get(end) as WordState);
    const own = words.filter(({ word }) => word === text).map(({ index }) => index);
    states.set(text, {
      found: [...own, ...found],
      next: letters.map((letter, symbol) => (begins.has(text + letter) ? text + letter : (next[symbol] ?? ""))),
    });
  }
  return states;
}

function longestEnd(text: string, begins: ReadonlySet<string>): string {
  for (let start = 1; start < text.length; start++) if (begins.has(text.slice(start))) return text.slice(start);
  return "";
}

/** A word that holds another one of its list is found with that one. */
function shortest(list: readonly string[]): string[] {
  const short = [...new Set(list.map((word) => word.toLowerCase().slice(0, LONGEST)))];
  return short.filter((word) => !short.some((other) => other !== word && word.includes(other)));
}
