/** The column of a character that is in none of the words. */
export const OTHER = 0;
/** What is left of a longer word finds it just as well, in a smaller table. */
const LONGEST = 10;

/** Finds words in one pass with one look-up a character: the table of Aho and Corasick. Case does not matter. */
export interface WordTable {
  /** The columns of a state in `moves`. */
  readonly width: number;
  /** The column of each ASCII character. */
  readonly symbols: Uint8Array;
  /** `moves[state + symbol]` is the next state. A state is the longest beginning of a word that was just read. */
  readonly moves: Uint16Array | Uint32Array;
  /** From this state on, a word has just ended. */
  readonly firstHit: number;
  /** Which lists the words that end in a state come from, by `state / width`. */
  readonly found: readonly (readonly number[])[];
}

/** A table for lists of ASCII words. Words longer than `longest` are cut. */
export function compileWords(lists: readonly (readonly string[])[], longest = LONGEST): WordTable {
  const words = lists.flatMap((list, index) => shortest(list, longest).map((word) => ({ word, index })));
  const letters = new Set<string>();
  for (const { word } of words) for (const letter of word) letters.add(letter);
  const symbols = new Uint8Array(128).fill(OTHER);
  let width = OTHER + 1;
  for (const letter of letters) {
    for (const each of [letter, letter.toUpperCase()]) symbols[each.charCodeAt(0)] = width;
    width++;
  }
  const { next, found } = statesOf(words, symbols, width);
  // Those in which a word ends come last.
  const order = [...found.keys()].sort((a, b) => Math.sign(found[a]?.length ?? 0) - Math.sign(found[b]?.length ?? 0));
  const starts = new Uint32Array(found.length);
  for (const [row, state] of order.entries()) starts[state] = row * width;
  const size = found.length * width;
  const moves = size > 0xffff ? new Uint32Array(size) : new Uint16Array(size);
  for (let state = 0; state < found.length; state++)
    for (let symbol = 0; symbol < width; symbol++)
      moves[(starts[state] as number) + symbol] = starts[next[state * width + symbol] as number] as number;
  const inOrder = order.map((state) => found[state] as readonly number[]);
  return { width, symbols, moves, firstHit: inOrder.findIndex(({ length }) => length > 0) * width, found: inOrder };
}

interface States {
  /** By state and symbol. */
  readonly next: Uint32Array;
  readonly found: readonly (readonly number[])[];
}

function statesOf(words: readonly { readonly word: string; readonly index: number }[], symbols: Uint8Array, width: number): States {
  const next = new Uint32Array(words.reduce((sum, { word }) => sum + word.length, 1) * width);
  const found: number[][] = [[]];
  for (const { word, index } of words) {
    let state = 0;
    for (let at = 0; at < word.length; at++) {
      const place = state * width + (symbols[word.charCodeAt(at)] as number);
      if (next[place] === 0) next[place] = found.push([]) - 1;
      state = next[place] as number;
    }
    found[state]?.push(index);
  }
  // Shorter beginnings first. Each falls back to its longest suffix that is also a beginning, unless a word says otherwise.
  const suffixes = new Uint32Array(found.length);
  const queue = [0];
  for (const state of queue)
    for (let symbol = 0; symbol < width; symbol++) {
      const place = state * width + symbol;
      const longer = next[place] as number;
      const suffix = state === 0 ? 0 : (next[(suffixes[state] as number) * width + symbol] as number);
      if (longer === 0) next[place] = suffix;
      else {
        suffixes[longer] = suffix;
        found[longer]?.push(...(found[suffix] as number[]));
        queue.push(longer);
      }
    }
  return { next, found };
}

/** A word that holds another one of its list is found with that one. */
function shortest(list: readonly string[], longest: number): string[] {
  const short = [...new Set(list.map((word) => word.toLowerCase().slice(0, longest)))];
  return short.length === 1 ? short : short.filter((word) => !short.some((other) => other !== word && word.includes(other)));
}
