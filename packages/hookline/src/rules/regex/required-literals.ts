/** What every text that matches a pattern contains: one of these literals. */
export interface RequiredLiterals {
  readonly literals: readonly string[];
  /** Compare them with the text in lower case. */
  readonly isFolded: boolean;
}

const MAX_LITERALS = 16;

/**
 * Derives from a pattern what every match must contain, so that most texts need not be passed to the engine. Undefined if that is not
 * certain: an unknown construct is never guessed.
 */
export function requiredLiterals(source: string): RequiredLiterals | undefined {
  const isFolded = source.startsWith("(?i)");
  try {
    const cursor: Cursor = { source: isFolded ? source.slice(4) : source, at: 0 };
    const { needs } = readAlternatives(cursor);
    if (cursor.at < cursor.source.length || needs === undefined) return undefined;
    return { literals: isFolded ? needs.map((literal) => literal.toLowerCase()) : needs, isFolded };
  } catch (error) {
    if (error === UNKNOWN) return undefined;
    throw error;
  }

  function readAlternatives(cursor: Cursor): Piece {
    const branches = [readSequence(cursor)];
    while (cursor.source[cursor.at] === "|") {
      cursor.at++;
      branches.push(readSequence(cursor));
    }
    const [only] = branches;
    return branches.length === 1 ? (only as Piece) : { exact: undefined, needs: unionOf(branches) };
  }

  function readSequence(cursor: Cursor): Piece {
    let run = "";
    let best: readonly string[] | undefined;
    let isExact = true;
    while (cursor.at < cursor.source.length && !"|)".includes(cursor.source[cursor.at] as string)) {
      const piece = readPiece(cursor);
      const times = readTimes(cursor);
      if (times === "once" && piece.exact !== undefined) {
        run += piece.exact;
        continue;
      }
      isExact = false;
      // If repeated, its first repetition directly follows the run.
      best = better(best, listOf(times === "some" ? run + (piece.exact ?? "") : run));
      if (times !== "optional") best = better(best, piece.needs);
      run = "";
    }
    return { exact: isExact ? run : undefined, needs: better(best, listOf(run)) };
  }

  function readPiece(cursor: Cursor): Piece {
    const character = cursor.source[cursor.at++] as string;
    if (character === "(") return readGroup(cursor);
    if (character === "[") return readClass(cursor);
    if (character === "\\") return readEscape(cursor);
    if (character === ".") return ANY;
    if (character === "^" || character === "$") return NOTHING;
    if ("*+?".includes(character)) throw UNKNOWN;
    return literal(character);
  }

  function readGroup(cursor: Cursor): Piece {
    const opening = /\?(?::|P?<\w+>)|(?!\?)/y;
    opening.lastIndex = cursor.at;
    const found = opening.exec(cursor.source);
    if (found === null) throw UNKNOWN;
    cursor.at += found[0].length;
    const piece = readAlternatives(cursor);
    if (cursor.source[cursor.at++] !== ")") throw UNKNOWN;
    return piece;
  }

  function literal(character: string): Piece {
    // A character such as ſ matches s without regard to case, but its lower case is not s.
    const isPlain = /^[ -~\n\t]$/.test(character) && !(isFolded && /s/i.test(character));
    return isPlain ? { exact: character, needs: [character] } : ANY;
  }

  function readEscape(cursor: Cursor): Piece {
    const character = cursor.source[cursor.at++] ?? "";
    if (/^[bBAz]$/.test(character)) return NOTHING;
    if (/^[sSwWdDntrfv]$/.test(character)) return ANY;
    if (/^[!-/:-@[-`{-~]$/.test(character)) return literal(character);
    throw UNKNOWN;
  }
}

interface Cursor {
  readonly source: string;
  at: number;
}

interface Piece {
  /** The only text that it matches. */
  readonly exact: string | undefined;
  readonly needs: readonly string[] | undefined;
}

const UNKNOWN = Symbol("not known here");
const ANY: Piece = { exact: undefined, needs: undefined };
const NOTHING: Piece = { exact: "", needs: undefined };

function readClass(cursor: Cursor): Piece {
  const members = /\^?\]?(?:\\[^pPQ]|[^\]\\[])*\]/y;
  members.lastIndex = cursor.at;
  const found = members.exec(cursor.source);
  if (found === null) throw UNKNOWN;
  cursor.at += found[0].length;
  return ANY;
}

function readTimes(cursor: Cursor): "once" | "some" | "optional" {
  const times = /(?:([*+?])|\{(\d+)(?:,\d*)?\})(\??)/y;
  times.lastIndex = cursor.at;
  const found = times.exec(cursor.source);
  if (found === null) return "once";
  cursor.at += found[0].length;
  if (found[1] === "+" || Number(found[2] ?? 0) > 0) return "some";
  return "optional";
}

function listOf(literal: string): readonly string[] | undefined {
  return literal === "" ? undefined : [literal];
}

function unionOf(branches: readonly Piece[]): readonly string[] | undefined {
  const all = branches.map(({ needs }) => needs);
  if (all.includes(undefined)) return undefined;
  const union = [...new Set(all.flat() as string[])];
  return union.length > MAX_LITERALS ? undefined : union;
}

/** The more selective one: by its shortest literal, then by how few literals it has. */
function better(one: readonly string[] | undefined, other: readonly string[] | undefined): readonly string[] | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return worth(other) > worth(one) ? other : one;
}

function worth(literals: readonly string[]): number {
  return shortest(literals) * 100 - literals.length;
}

function shortest(literals: readonly string[]): number {
  return Math.min(...literals.map(({ length }) => length));
}
