import type { CommandEntry, OperandRole, OptionEffect, OptionTable, Role, Syntax } from "./program-entry.js";
import { isExact, literal, type Value } from "./value.js";

/** An option as it stands in a command. */
export interface FoundOption {
  readonly name: string;
  readonly value: Value | undefined;
  /** Undefined if the table does not have it. */
  readonly effect: OptionEffect | undefined;
}

/** The words of a command, sorted by an entry's table. */
export interface SortedWords {
  readonly options: readonly FoundOption[];
  readonly operands: readonly Value[];
  /** Why there may be options that are not listed. */
  readonly unknown: string | undefined;
}

interface KnownOption {
  readonly name: string;
  readonly effect: OptionEffect;
  readonly takes: "nothing" | "value" | "two" | "attached";
}

interface Compiled {
  readonly bySpelling: ReadonlyMap<string, KnownOption>;
  readonly long: readonly string[];
}

const compiled = new WeakMap<OptionTable, Compiled>();
const noOptions: OptionTable = {};

function compile(table: OptionTable): Compiled {
  const known = compiled.get(table);
  if (known !== undefined) return known;
  const bySpelling = new Map<string, KnownOption>();
  for (const [key, effect] of Object.entries(table)) {
    const words = key.split(" ");
    const last = words.at(-1) ?? "";
    const values = words.filter((word) => /^[A-Z][A-Z_]*$/.test(word)).length;
    const takes = /^\[[A-Z]+\]$/.test(last) ? "attached" : values === 0 ? "nothing" : values === 1 ? "value" : "two";
    const spellings = words.filter((word) => !/^[A-Z[]/.test(word));
    const name = spellings.find((spelling) => spelling.startsWith("--")) ?? spellings[0] ?? "";
    for (const spelling of spellings) bySpelling.set(spelling, { name, effect, takes });
  }
  const made = { bySpelling, long: [...bySpelling.keys()].filter((spelling) => spelling.startsWith("--")) };
  compiled.set(table, made);
  return made;
}

/** How the words of an entry are sorted. */
interface WordOrder {
  readonly syntax: Syntax;
  /** How many operands stand before the one after which no word is an option. Undefined: options may stand anywhere. */
  readonly beforeEnd: number | undefined;
}

const wordOrders = new WeakMap<CommandEntry, WordOrder>();

export function wordOrderOf(entry: CommandEntry): WordOrder {
  const known = wordOrders.get(entry);
  if (known !== undefined) return known;
  const made = { syntax: syntaxOf(entry), beforeEnd: operandsBeforeEnd(entry) };
  wordOrders.set(entry, made);
  return made;
}

/** Programs that run another command take its options for their own only before it. */
function syntaxOf({ syntax, operands = [], subcommands }: CommandEntry): Syntax {
  if (syntax !== undefined) return syntax;
  const endsOptions = operands.some(
    (role) => /^(?:command|script-words|run|assignment|package|typed)\b/.test(role) && role !== "command-end",
  );
  return endsOptions || subcommands !== undefined ? "posix" : "gnu";
}

function operandsBeforeEnd(entry: CommandEntry): number | undefined {
  if (entry.subcommands !== undefined) return 0;
  if (syntaxOf(entry) !== "posix") return undefined;
  return Math.max(0, entry.operands?.findIndex((role) => /^(?:command|script-words|run|assignment|package|typed)\b/.test(role)) ?? 0);
}

/** Sorts words into options and operands. `tables`: the own options first, then those of the commands around it. */
export function sortWords(
  words: readonly Value[],
  syntax: Syntax,
  tables: readonly (OptionTable | undefined)[],
  beforeEnd: number | undefined = syntax === "posix" ? 0 : undefined,
): SortedWords {
  const sorter = new Sorter(
    words,
    syntax,
    tables.map((table) => compile(table ?? noOptions)),
    beforeEnd,
  );
  return sorter.sort();
}

class Sorter {
  readonly #words: readonly Value[];
  readonly #syntax: Syntax;
  readonly #tables: readonly Compiled[];
  readonly #options: FoundOption[] = [];
  readonly #operands: Value[] = [];
  #unknown: string | undefined;
  readonly #beforeEnd: number;
  #isExpression = false;
  /** The last word is an option that the table does not have: the next word may be its value. */
  #mayTakeNext = false;
  #at = 0;

  constructor(words: readonly Value[], syntax: Syntax, tables: readonly Compiled[], beforeEnd: number | undefined) {
    this.#beforeEnd = beforeEnd ?? Number.POSITIVE_INFINITY;
    this.#words = words;
    this.#syntax = syntax;
    this.#tables = tables;
  }

  sort(): SortedWords {
    if (this.#syntax === "none") return { options: [], operands: this.#words, unknown: undefined };
    if (this.#syntax === "tar") this.#letters();
    while (this.#at < this.#words.length && this.#next());
    if (this.#options.at(-1)?.effect?.last === true && this.#words[this.#at]?.text === "--") this.#at++;
    this.#operands.push(...this.#words.slice(this.#at));
    return { options: this.#options, operands: this.#operands, unknown: this.#unknown };
  }

  /** False when the rest are operands. */
  #next(): boolean {
    const word = this.#words[this.#at++] as Value;
    const { text } = word;
    if (this.#syntax === "assignments") return this.#assignment(word);
    if (!isExact(word) && word.unknown !== undefined && (word.isLoose || this.#isOpenOption(word))) this.#unknown ??= word.unknown;
    const isOption = text.length > 1 && text.charCodeAt(0) === 0x2d;
    if (this.#syntax === "find" && /^[()!,]$/.test(text)) this.#isExpression = true;
    if (!isOption) {
      this.#mayTakeNext = false;
      // The words of an expression, such as `(` and `!`, follow its first option.
      if (this.#syntax !== "find" || (!this.#isExpression && !this.#options.some(({ name }) => !/^-(?:[HLP]|O\d?)$/.test(name))))
        this.#operands.push(word);
      return this.#operands.length <= this.#beforeEnd;
    }
    if (text === "--") return false;
    if (this.#syntax === "words" || this.#syntax === "find") return this.#word(text.startsWith("--") ? text.slice(1) : text, text);
    if (text.startsWith("--")) return this.#long(word);
    return this.#short(word);
  }

  /** A word that may be any option: `-$X`. The option of `--name=$X` and `-j$N` is known, and only its value is not. */
  #isOpenOption({ text, pattern = "" }: Value): boolean {
    if (!text.startsWith("-")) return false;
    const known = /^[^*?[\\]*/.exec(pattern)?.[0] ?? "";
    if (known.startsWith("--") || this.#syntax === "words" || this.#syntax === "find") return !known.includes("=");
    return ![...known.slice(1)].some((letter) => (this.#find(`-${letter}`)?.takes ?? "nothing") !== "nothing");
  }

  /** `tar xzf a`: the letters take their values from the words that follow, in order. */
  #letters(): void {
    const [first] = this.#words;
    if (first === undefined || !isExact(first) || !/^[A-Za-z]+$/.test(first.text)) return;
    this.#at = 1;
    for (const letter of first.text) this.#push(this.#find(`-${letter}`), `-${letter}`, undefined);
  }

  #assignment(word: Value): boolean {
    const at = word.text.indexOf("=");
    const known = at < 0 ? undefined : this.#find(word.text.slice(0, at));
    if (known === undefined) this.#operands.push(word);
    else this.#options.push({ name: known.name, value: tail(word, at + 1), effect: known.effect });
    return true;
  }

  #word(name: string, written: string): boolean {
    const at = name.indexOf("=");
    const known = this.#find(at < 0 ? name : name.slice(0, at)) ?? this.#find(at < 0 ? written : written.slice(0, written.indexOf("=")));
    const word = this.#words[this.#at - 1] as Value;
    return this.#push(
      known,
      at < 0 ? written : written.slice(0, written.indexOf("=")),
      at < 0 ? undefined : tail(word, word.text.indexOf("=") + 1),
    );
  }

  #long(word: Value): boolean {
    const at = word.text.indexOf("=");
    const name = at < 0 ? word.text : word.text.slice(0, at);
    return this.#push(this.#find(name) ?? this.#abbreviated(name), name, at < 0 ? undefined : tail(word, at + 1));
  }

  #short(word: Value): boolean {
    const { text } = word;
    // Some programs have words after one dash: their tables list them.
    const whole = text.length > 2 ? this.#find(text) : undefined;
    if (whole !== undefined) return this.#push(whole, text, undefined);
    for (let i = 1; i < text.length; i++) {
      const spelling = `-${text[i]}`;
      const known = this.#find(spelling);
      const rest = i + 1 < text.length ? tail(word, i + 1) : undefined;
      if (known !== undefined && known.takes !== "nothing") return this.#push(known, spelling, rest);
      if (known === undefined && !/^-[A-Za-z0-9]$/.test(spelling)) {
        this.#push(undefined, text, undefined);
        return true;
      }
      if (!this.#push(known, spelling, undefined)) return false;
    }
    return true;
  }

  /** Takes the value from the next word if the option needs one. */
  #push(known: KnownOption | undefined, name: string, attached: Value | undefined): boolean {
    const { effect } = known ?? {};
    if (this.#isValueOfUnknown(known)) return true;
    this.#mayTakeNext = known === undefined && attached === undefined;
    let value = attached;
    if (value === undefined && known?.takes === "value")
      value = effect?.value === "command-end" ? this.#untilEnd() : this.#words[this.#at++];
    const next = this.#words[this.#at];
    if (value === undefined && effect?.takesEmpty === true && next?.text === "" && isExact(next)) value = this.#words[this.#at++];
    if (known?.takes === "two") {
      value = this.#words[this.#at + 1];
      this.#at += 2;
    }
    this.#options.push({ name: known?.name ?? name, value, effect });
    return effect?.last !== true;
  }

  /** `hookline pause --reason --help` pauses. What makes a command harmless does not count where it may be the value of the option before it. */
  #isValueOfUnknown(known: KnownOption | undefined): boolean {
    const before = this.#options.at(-1);
    if (!this.#mayTakeNext || before === undefined || (known?.name !== "--help" && known?.effect.destroys !== "nothing")) return false;
    this.#mayTakeNext = false;
    this.#options[this.#options.length - 1] = { ...before, value: this.#words[this.#at - 1] };
    return true;
  }

  /** `find -exec … ;`: the words stay as they are; `commandsIn` reads them. */
  #untilEnd(): Value {
    const start = this.#at;
    while (this.#at < this.#words.length && !/^[;+]$/.test(this.#words[this.#at]?.text ?? "")) this.#at++;
    const words = this.#words.slice(start, this.#at++);
    const value = literal(words.map(({ text }) => text).join(" "));
    innerWords.set(value, words);
    return value;
  }

  #find(spelling: string): KnownOption | undefined {
    for (const { bySpelling } of this.#tables) {
      const known = bySpelling.get(spelling);
      if (known !== undefined) return known;
    }
    return undefined;
  }

  #abbreviated(name: string): KnownOption | undefined {
    const matching = this.#tables.flatMap(({ long, bySpelling }) =>
      long.filter((one) => one.startsWith(name)).map((one) => bySpelling.get(one)),
    );
    return new Set(matching.map((known) => known?.name)).size === 1 ? matching[0] : undefined;
  }
}

const innerWords = new WeakMap<Value, readonly Value[]>();

/** The words of a command that an option such as `-exec` holds. */
export function commandIn(value: Value): readonly Value[] | undefined {
  return innerWords.get(value);
}

/** The rest of a word. A pattern has the same characters before its first special one. */
export function tail(word: Value, from: number): Value {
  if (isExact(word)) return { ...word, text: word.text.slice(from) };
  const { pattern = "", text } = word;
  const isSame = pattern.startsWith(text.slice(0, from));
  return { ...word, text: text.slice(from), pattern: isSame ? pattern.slice(from) : "**" };
}

const rolesWithoutCount = new Map<OperandRole, Role>();

/** `read...` and `read?` are the role `read`. */
export function withoutCount(role: OperandRole): Role {
  const known = rolesWithoutCount.get(role);
  if (known !== undefined) return known;
  const made = role.replace(/\.\.\.$|\?$/, "") as Role;
  rolesWithoutCount.set(role, made);
  return made;
}

/** The role of each operand, and where the words of an inner command begin. */
export function rolesOf(count: number, roles: readonly OperandRole[]): readonly Role[] {
  const many = roles.findIndex((role) => role.endsWith("..."));
  const after = many < 0 ? [] : roles.slice(many + 1);
  const before = many < 0 ? roles : roles.slice(0, many);
  const optional = before.filter((role) => role.endsWith("?")).length;
  // An operand that may be missing is the first to go.
  let missing = Math.max(0, Math.min(optional, before.length + after.length - count));
  const fixed = before.filter((role) => !role.endsWith("?") || missing-- <= 0);
  const middle = Math.max(0, count - fixed.length - after.length);
  const list = [...fixed, ...new Array<OperandRole>(many < 0 ? 0 : middle).fill(roles[many] as OperandRole), ...after];
  // Too few operands: the last ones are those that the program needs most (`cp a` names what it reads).
  return Array.from({ length: count }, (_, index) => withoutCount(list[index] ?? "text"));
}
