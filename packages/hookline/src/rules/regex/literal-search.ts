import { compileWords, OTHER } from "@hookline/core/internal";

/** The numbers of the lists of which a text contains a literal, each once. Upper and lower case are the same. */
export type LiteralSearch = (text: string) => readonly number[];

/** The rest of a longer literal tells little more. */
const LONGEST = 32;
/** In lower case, these two characters outside of ASCII are ASCII or begin with it: the Kelvin sign, and a capital i with a dot. */
const KELVIN = 0x212a;
const DOTTED_I = 0x130;

const none: readonly number[] = [];

/** The longest part of a literal that a search can look for. Empty if there is none. */
export function searchablePart(literal: string): string {
  return literal.split(/[^\0-\x7f]+/).reduce((longest, part) => (part.length > longest.length ? part : longest), "");
}

/**
 * Searches for the literals of many lists at once: the time follows the text, and not the number of literals. A list that is found may have its
 * literal in another case, or only the beginning of a long one; a list that is not found has none in the text. Literals are ASCII and not empty.
 */
export function createLiteralSearch(lists: readonly (readonly string[])[]): LiteralSearch {
  const { width, symbols, firstHit, found, ...table } = compileWords(lists, LONGEST);
  // Of one type for every search, so that the loop below is compiled for it.
  const moves = Uint32Array.from(table.moves);
  const [kelvin, dottedI] = ["k", "i"].map((letter) => symbols[letter.charCodeAt(0)] as number) as [number, number];
  /** The characters with which no literal begins: between two literals, most of a text. */
  const isIdle = Uint8Array.from(symbols, (symbol) => (moves[symbol] === 0 ? 1 : 0));
  /** The search in which a list was last found, and a state last visited: what a text repeats is taken once. */
  const listSearch = new Uint32Array(lists.length);
  const stateSearch = new Uint32Array(found.length);
  let search = 0;
  return (text) => {
    let hits: number[] | undefined;
    let state = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (state === 0 && isIdle[code] === 1) continue;
      state = moves[
        state + (code < 128 ? (symbols[code] as number) : code === KELVIN ? kelvin : code === DOTTED_I ? dottedI : OTHER)
      ] as number;
      if (state < firstHit) continue;
      if (hits === undefined) {
        hits = [];
        search++;
      }
      const row = state / width;
      if (stateSearch[row] === search) continue;
      stateSearch[row] = search;
      for (const list of found[row] as readonly number[]) {
        if (listSearch[list] === search) continue;
        listSearch[list] = search;
        hits.push(list);
      }
    }
    return hits ?? none;
  };
}
