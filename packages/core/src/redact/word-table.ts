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

/** A beginning of words. */
interface WordState {
  /** Which lists the words that end here come from. */
  readonly found: readonly number[];
  /** The place of the next state for each letter. */
  readonly next: Uint16Array;
}

export function compileWords(lists: readonly (readonly string[])[]): WordTable {
  const words = lists.flatMap((list, index) => shortest(list).map((word) => ({ word, index })));
  const letters = [...new Set(words.map(({ word }) => word).join(""))];
  const states = statesOf(words, letters);
  if (letters.length > OTHER || states.length * WIDTH > 0xffff) throw new Error("The words of all secrets do not fit into their table.");
  const isHit = ({ found }: WordState): number => Math.sign(found.length);
  const order = [...states.keys()].sort((a, b) => isHit(states[a] as WordState) - isHit(states[b] as WordState));
  const rows = new Uint16Array(states.length);
  for (const [row, place] of order.entries()) rows[place] = row;
  const symbols = new Uint8Array(128).fill(OTHER);
  for (const [symbol, letter] of letters.entries()) for (const each of [letter, letter.toUpperCase()]) symbols[each.charCodeAt(0)] = symbol;
  const moves = new Uint16Array(states.length * WIDTH);
  for (const [place, { next }] of states.entries())
    for (let symbol = 0; symbol < next.length; symbol++)
      moves[(rows[place] as number) * WIDTH + symbol] = (rows[next[symbol] as number] as number) * WIDTH;
  const found = order.map((place) => (states[place] as WordState).found);
  return { symbols, moves, firstHit: found.findIndex(({ length }) => length > 0) * WIDTH, found };
}

/** The beginnings of all words, shorter ones first. Each falls back to its longest suffix that is also a prefix, unless a word says otherwise. */
function statesOf(words: readonly { readonly word: string; readonly index: number }[], letters: readonly string[]): WordState[] {
  const begins = new Set(words.flatMap(({ word }) => Array.from(word, (_, last) => word.slice(0, last + 1))));
  const texts = ["", ...[...begins].sort((a, b) => a.length - b.length)];
  const places = new Map(texts.map((text, place) => [text, place]));
  const states: WordState[] = [];
  const own = grouped(words, ({ word }) => word);
  const symbols = new Map(letters.map((letter, symbol) => [letter, symbol]));
  const longer = grouped([...begins], (text) => text.slice(0, -1));
  for (const text of texts) {
    const end = states[places.get(text.length < 2 ? "" : longestEnd(text, begins)) as number];
    const next = end === undefined ? new Uint16Array(letters.length) : end.next.slice();
    for (const child of longer.get(text) ?? []) next[symbols.get(child.slice(-1)) as number] = places.get(child) as number;
    states.push({ found: [...(own.get(text) ?? []).map(({ index }) => index), ...(end?.found ?? [])], next });
  }
  return states;
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
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
