import { literal, unknownValue, type Value } from "./value.js";

/** A command that may be in a text that does not parse. */
export interface GuessedCommand {
  readonly words: readonly Value[];
  /** Files that redirections write. */
  readonly writes: readonly Value[];
}

/** More places where a command may begin are not looked at one by one. */
const MAX_GUESSES = 200;

/** Where a command can begin in any reading of the quotes: after one of these, also within quotes. */
const SEPARATORS = /[\n;|&(){}`]+/;
const KEYWORDS = /^(?:!|if|then|elif|else|fi|do|done|while|until|time|coproc|esac)$/;
const REDIRECTION = /(?:\d|&)?>{1,2}[|&]?\s*([^\s<>]*)/g;
/** Nothing in it means anything to a shell. */
const PLAIN = /^[\w./:=@%+,-]+$/;
const PROGRAM = /^[\w./@%+:-]+$/;
/** What follows them may be about other words than those that are seen. */
const RENAMES = /^(?:alias|hash|function|select|for|case)$/;

/**
 * Every command that a text may hold, however its quotes are read: one for each place where a command can begin. It finds too many, and only
 * the program and plain words of each are known. Undefined if there are too many places.
 */
export function guessCommands(text: string, why: string): readonly GuessedCommand[] | undefined {
  const parts = text.replaceAll("\\\n", "").split(SEPARATORS);
  if (parts.length > MAX_GUESSES) return undefined;
  return parts.flatMap((part) => guessIn(part, why) ?? []);
}

function guessIn(part: string, why: string): GuessedCommand | undefined {
  const writes: Value[] = [];
  const rest = part.replace(REDIRECTION, (all, target: string) => {
    // `2>&1` is cut in two by its sign.
    if (target !== "" || !/>$/.test(all)) writes.push(wordOf(target, why));
    return " ";
  });
  const words = rest.split(/\s+/).filter(Boolean);
  while (words[0] !== undefined && KEYWORDS.test(words[0])) words.shift();
  const [program, ...args] = words;
  if (program === undefined || program === "$") return writes.length === 0 ? undefined : { words: [], writes };
  const isKnown = PROGRAM.test(program) && !RENAMES.test(program);
  return { words: [isKnown ? literal(program) : unknownValue(program, why), ...args.map((word) => wordOf(word, why))], writes };
}

function wordOf(word: string, why: string): Value {
  return PLAIN.test(word) ? literal(word) : unknownValue(word, why);
}
