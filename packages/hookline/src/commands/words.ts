import type { ArithmeticExpression, ParameterExpansionPart, ParsedScript, SyntaxNode, Word, WordPart } from "./parse.js";
import { faultOf, parseShell } from "./parse.js";
import { concat, concatAll, escapePattern, isExact, joinWords, literal, patternOf, someName, unknownValue, type Value } from "./value.js";

/** What the expansion of words needs to know of the shell it happens in. */
export interface Shell {
  /** The value of a variable that the text sets, the first if it is an array. */
  lookup(name: string): Value | undefined;
  /** The elements of an array. */
  elements(name: string): readonly Value[] | undefined;
  assign(name: string, value: Value): void;
  readonly positional: readonly Value[];
  /** The home folder of a user; of the own user for an empty name. */
  homeOf(user: string): string;
  /** The output of `$(…)`. */
  output(script: ParsedScript | undefined, text: string): Value;
  /** The file that stands for `<(…)` or `>(…)`. */
  process(script: ParsedScript | undefined, operator: "<" | ">"): Value;
  /** False when the text has used up what may be spent on it. */
  spend(steps?: number): boolean;
  /** Walks the scripts inside a part whose value is not computed. */
  inside(node: SyntaxNode): void;
}

/** A command has at most these words, and an array these elements. */
export const MAX_WORDS = 2_000;

/** More words than these are not computed. */
const MAX_BRACE_WORDS = 256;

/** The words that a word becomes: none, one or several. */
function expandWord(word: Word, shell: Shell): readonly Value[] {
  const { parts } = word;
  if (parts === undefined) return [plainWord(word, shell)];
  const fields = new Fields(shell);
  for (const [index, part] of parts.entries()) {
    if (part.type === "BraceExpansion") return expandBraces(word, parts, index, shell);
    fields.part(part, index === 0);
  }
  return fields.finish();
}

/** Adds the words that a word becomes. Most words stay as they are. */
export function addWord(words: Value[], word: Word, shell: Shell): void {
  if (word.parts === undefined) words.push(plainWord(word, shell));
  else words.push(...expandWord(word, shell));
}

/** The words that a list of words becomes, after others. Once there are too many, only the commands inside of the rest count. */
export function expandWords(list: readonly Word[], shell: Shell, before: readonly Value[] = []): readonly Value[] {
  const words = [...before];
  for (const word of list) {
    if (words.length > MAX_WORDS) shell.inside(word);
    else addWord(words, word, shell);
  }
  return words;
}

/** The value of a word that is not split: in an assignment, after a redirection, in a test. */
export function expandToOne(word: Word, shell: Shell): Value {
  const { parts } = word;
  if (parts === undefined) return plainWord(word, shell);
  return concatAll(parts.map((part, index) => partValue(part, shell, index === 0)));
}

/** The text of a heredoc. */
export function expandParts(parts: readonly WordPart[], shell: Shell): Value {
  return concatAll(parts.map((part) => partValue(part, shell, false)));
}

function plainWord({ text, value }: Word, shell: Shell): Value {
  return text.charCodeAt(0) === 0x7e ? tilde(value, shell) : literal(value);
}

function tilde(text: string, shell: Shell): Value {
  const end = text.indexOf("/");
  const user = text.slice(1, end < 0 ? undefined : end);
  const rest = end < 0 ? "" : text.slice(end);
  if (user === "+" || user === "-")
    return concat(
      shell.lookup(user === "+" ? "PWD" : "OLDPWD") ?? unknownValue(`~${user}`, "the previous folder is not known"),
      literal(rest),
    );
  return literal(/^[\w.-]*$/.test(user) ? shell.homeOf(user) + rest : text);
}

/** Collects the words that unquoted expansions are split into. */
class Fields {
  readonly #done: Value[] = [];
  #current: Value | undefined;
  readonly #shell: Shell;

  constructor(shell: Shell) {
    this.#shell = shell;
  }

  part(part: WordPart, isFirst: boolean): void {
    const list = listOf(part, this.#shell);
    if (list !== undefined) return this.#list(list);
    const value = partValue(part, this.#shell, isFirst);
    if (isSplit(part)) this.#split(value);
    else this.#add(value);
  }

  finish(): readonly Value[] {
    this.#end();
    return this.#done;
  }

  #add(value: Value): void {
    this.#current = this.#current === undefined ? value : concat(this.#current, value);
  }

  #end(): void {
    // One word too many is enough to say that there are too many.
    if (this.#current !== undefined && this.#done.length <= MAX_WORDS) this.#done.push(this.#current);
    this.#current = undefined;
  }

  #list(values: readonly Value[]): void {
    if (this.#done.length > MAX_WORDS) return;
    for (const [index, value] of values.entries()) {
      if (index > 0) this.#end();
      this.#add(value);
    }
  }

  #split(value: Value): void {
    if (value.names !== undefined) return this.#list(value.names);
    if (!isExact(value)) {
      const isLoose = value.unknown !== undefined && value.flows?.some(({ why }) => why !== undefined && !why.startsWith("the variable"));
      return this.#add(isLoose ? { ...value, isLoose } : value);
    }
    const words = splitText(value.text, this.#shell.lookup("IFS"));
    for (const [index, text] of words.entries()) {
      if (index > 0) this.#end();
      if (text !== "") this.#add({ ...value, text, pattern: /[*?[]/.test(text) ? text : undefined });
    }
  }
}

function splitText(text: string, separators: Value | undefined): readonly string[] {
  const { text: characters = " \t\n" } = separators ?? {};
  if (characters === " \t\n") return text.split(/[ \t\n]+/);
  const words = [""];
  for (const char of text) {
    if (characters.includes(char)) words.push("");
    else words[words.length - 1] += char;
  }
  return words;
}

/** Parts whose value the shell splits at spaces and expands as a pattern. */
function isSplit({ type }: WordPart): boolean {
  return type === "SimpleExpansion" || type === "ParameterExpansion" || type === "CommandExpansion";
}

/** The elements of `"$@"`, `$*` and `"${a[@]}"`. */
function listOf(part: WordPart, shell: Shell): readonly Value[] | undefined {
  if (part.type === "DoubleQuoted")
    return part.parts.length === 1 && part.parts[0] !== undefined ? listOf(part.parts[0], shell) : undefined;
  if (part.type === "SimpleExpansion") return part.text === "$@" || part.text === "$*" ? shell.positional : undefined;
  if (part.type !== "ParameterExpansion" || part.operation !== undefined || part.prefix !== undefined) return undefined;
  if (part.parameter === "@" || part.parameter === "*") return shell.positional;
  const isWhole = part.index?.text === "@" || part.index?.text === "*";
  return isWhole ? shell.elements(part.parameter) : undefined;
}

function partValue(part: WordPart, shell: Shell, isFirst: boolean): Value {
  switch (part.type) {
    case "Literal":
      return isFirst && part.text.startsWith("~") ? tilde(part.value, shell) : literal(part.value);
    case "SingleQuoted":
    case "AnsiCQuoted":
      return literal(part.value);
    case "DoubleQuoted":
    case "LocaleString":
      return concatAll(part.parts.map((child) => partValue(child, shell, false)));
    case "Glob":
      if (part.kind === "bracket") shell.inside(part);
      return { ...literal(part.text), pattern: part.kind === "bracket" && /[$`]/.test(part.text) ? "?" : part.text };
    case "ExtendedGlob":
      shell.inside(part);
      return { ...literal(part.text), pattern: "*" };
    case "BraceExpansion":
      return unknownValue(part.text, "braces in a place where they are not computed");
    case "SimpleExpansion":
      return parameterValue(part.text.slice(1), shell) ?? notSet(part.text.slice(1), part.text);
    case "ParameterExpansion":
      return expandParameter(part, shell);
    case "CommandExpansion":
      return shell.output(part.script, part.text);
    case "ProcessSubstitution":
      return shell.process(part.script, part.operator);
    case "ArithmeticExpansion": {
      shell.inside(part);
      const number = part.expression === undefined ? undefined : compute(part.expression, shell);
      return number === undefined ? someName(part.text) : literal(String(number));
    }
  }
}

function notSet(name: string, text: string): Value {
  return unknownValue(text, `the variable ${name} is not set in the command`);
}

/** Variables that hold a number or another name without a slash. */
const names = new Set([
  "$",
  "?",
  "!",
  "#",
  "-",
  "RANDOM",
  "SRANDOM",
  "SECONDS",
  "EPOCHSECONDS",
  "UID",
  "EUID",
  "PPID",
  "LINENO",
  "BASHPID",
  "USER",
  "LOGNAME",
  "HOSTNAME",
  "COLUMNS",
  "LINES",
  "SHLVL",
  "OSTYPE",
]);

/** The value of a variable, as far as the text or the shell itself says it. */
function parameterValue(name: string, shell: Shell): Value | undefined {
  if (name === "@" || name === "*") return joinList(shell.positional, `$${name}`, shell);
  if (/^[1-9]\d*$/.test(name)) return shell.positional[Number(name) - 1] ?? literal("");
  if (name === "0") return shell.lookup(name) ?? literal("bash");
  return shell.lookup(name) ?? (names.has(name) ? someName(`$${name}`) : undefined);
}

function expandParameter(part: ParameterExpansionPart, shell: Shell): Value {
  const { parameter, prefix, index, operation, text } = part;
  shell.inside(part);
  if (operation?.type === "Names") return unknownValue(text, `${text} is not computed`);
  const found = index === undefined ? parameterValue(parameter, shell) : elementOf(parameter, index, shell);
  if (prefix === "#") return found !== undefined && isExact(found) ? literal(String(found.text.length)) : someName(text);
  if (prefix === "!")
    return found !== undefined && isExact(found)
      ? (parameterValue(found.text, shell) ?? notSet(found.text, text))
      : notSet(parameter, text);
  if (operation === undefined) return found ?? notSet(parameter, text);
  if (operation.type === "Default")
    return expandDefault(parameter, operation.operator, operation.operand, found, shell) ?? notSet(parameter, text);
  if (found === undefined) return notSet(parameter, text);
  if (!isExact(found)) return unknownValue(text, found.unknown ?? `${text} is not computed`, found.flows);
  const changed = changedText(found.text, operation, shell);
  return changed === undefined ? unknownValue(text, `${text} is not computed`) : { ...found, text: changed };
}

/** Elements that are joined in one step. */
const JOINED_AT_ONCE = 16;

/** The elements of a list as one text. A long list that is written again and again would take long. */
function joinList(list: readonly Value[], text: string, shell: Shell): Value {
  if (shell.spend(Math.ceil(list.length / JOINED_AT_ONCE))) return joinWords(list);
  return unknownValue(text, "the command takes too long to read");
}

function elementOf(name: string, index: Word, shell: Shell): Value | undefined {
  if (index.text === "@" || index.text === "*") return joinList(shell.elements(name) ?? [], `\${${name}[${index.text}]}`, shell);
  const at = expandToOne(index, shell);
  return isExact(at) && /^\d+$/.test(at.text)
    ? (shell.elements(name)?.[Number(at.text)] ?? (at.text === "0" ? shell.lookup(name) : undefined))
    : undefined;
}

/** A variable that the text does not set counts as not set, if the text says what holds then. */
function expandDefault(name: string, operator: string, operand: Word, found: Value | undefined, shell: Shell): Value | undefined {
  const isSet = found !== undefined && (!operator.startsWith(":") || found.text !== "");
  if (operator.endsWith("?")) return found;
  if (operator.endsWith("+")) return isSet ? expandToOne(operand, shell) : found === undefined ? undefined : literal("");
  if (isSet) return found;
  const value = expandToOne(operand, shell);
  if (operator.endsWith("=")) shell.assign(name, value);
  return value;
}

type Operation = NonNullable<ParameterExpansionPart["operation"]>;

/** The longest text in which a pattern is searched. */
const MAX_SEARCHED = 2048;

function changedText(text: string, operation: Operation, shell: Shell): string | undefined {
  if (text.length > MAX_SEARCHED) return undefined;
  switch (operation.type) {
    case "Remove":
      return removed(text, operation.operator, expandToOne(operation.operand, shell));
    case "Replace": {
      const [pattern, replacement] = [expandToOne(operation.pattern, shell), expandToOne(operation.replacement, shell)];
      if (!isExact(pattern) || !isExact(replacement) || pattern.text === "") return undefined;
      if (operation.operator === "//") return text.replaceAll(pattern.text, () => replacement.text);
      if (operation.operator === "/#") return text.startsWith(pattern.text) ? replacement.text + text.slice(pattern.text.length) : text;
      if (operation.operator === "/%") return text.endsWith(pattern.text) ? text.slice(0, -pattern.text.length) + replacement.text : text;
      return text.replace(pattern.text, () => replacement.text);
    }
    case "Slice":
      return sliced(
        text,
        expandToOne(operation.offset, shell).text,
        operation.length === undefined ? undefined : expandToOne(operation.length, shell).text,
      );
    case "CaseModification": {
      if (operation.operand !== undefined && operation.operand.text !== "?") return undefined;
      if (operation.operator === "^^") return text.toUpperCase();
      if (operation.operator === ",,") return text.toLowerCase();
      const first = text.slice(0, 1);
      return (operation.operator === "^" ? first.toUpperCase() : first.toLowerCase()) + text.slice(1);
    }
    case "Transform":
      return { U: text.toUpperCase(), L: text.toLowerCase(), u: text.slice(0, 1).toUpperCase() + text.slice(1), Q: undefined }[
        operation.operand.text
      ];
    default:
      return undefined;
  }
}

function removed(text: string, operator: string, value: Value): string | undefined {
  if (value.unknown !== undefined) return undefined;
  const pattern = patternOf(value);
  if (/[[\]?]/.test(pattern)) return undefined;
  // Pieces between stars, in order: enough for the patterns that name a prefix or a suffix.
  const isLongest = operator.length === 2;
  const fits = (part: string) => matchesStars(part, pattern);
  const lengths = Array.from({ length: text.length + 1 }, (_, length) => (isLongest ? text.length - length : length));
  for (const length of lengths) {
    if (operator.startsWith("#") && fits(text.slice(0, length))) return text.slice(length);
    if (operator.startsWith("%") && fits(text.slice(text.length - length))) return text.slice(0, text.length - length);
  }
  return text;
}

function matchesStars(text: string, pattern: string): boolean {
  const pieces = pattern.split(/(?<!\\)\*+/).map((piece) => piece.replace(/\\(.)/g, "$1"));
  const [first = "", last = ""] = [pieces[0], pieces.at(-1)];
  if (pieces.length === 1) return text === first;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    at = text.indexOf(piece, at);
    if (at < 0) return false;
    at += piece.length;
  }
  return at <= text.length - last.length;
}

function sliced(text: string, offset: string, length: string | undefined): string | undefined {
  const [from, count] = [Number(offset.trim()), length === undefined ? undefined : Number(length.trim())];
  if (!Number.isInteger(from) || (count !== undefined && !Number.isInteger(count))) return undefined;
  const start = from < 0 ? Math.max(0, text.length + from) : from;
  return text.slice(start, count === undefined ? undefined : count < 0 ? text.length + count : start + count);
}

function compute(expression: ArithmeticExpression, shell: Shell): number | undefined {
  switch (expression.type) {
    case "ArithmeticGroup":
      return compute(expression.expression, shell);
    case "ArithmeticWord": {
      if (/^\d+$/.test(expression.value)) return Number(expression.value);
      const value = /^[A-Za-z_]\w*$/.test(expression.value) ? shell.lookup(expression.value) : undefined;
      return value !== undefined && isExact(value) && /^-?\d+$/.test(value.text) ? Number(value.text) : undefined;
    }
    case "ArithmeticBinary": {
      const [left, right] = [compute(expression.left, shell), compute(expression.right, shell)];
      if (left === undefined || right === undefined) return undefined;
      const result = { "+": left + right, "-": left - right, "*": left * right, "/": Math.trunc(left / right), "%": left % right }[
        expression.operator
      ];
      return Number.isSafeInteger(result) ? result : undefined;
    }
    default:
      return undefined;
  }
}

/** Expands the first braces of a word as text and reads each result as a word again. */
function expandBraces(word: Word, parts: readonly WordPart[], index: number, shell: Shell): readonly Value[] {
  const before = parts
    .slice(0, index)
    .map(({ text }) => text)
    .join("");
  const after = parts
    .slice(index + 1)
    .map(({ text }) => text)
    .join("");
  const choices = braceChoices((parts[index] as WordPart).text);
  // Braces beside braces multiply, so they are counted before a word is made.
  let count = 1;
  for (const part of parts) if (part.type === "BraceExpansion") count *= braceChoices(part.text)?.length ?? 1;
  if (count > MAX_BRACE_WORDS) return [unknownValue(word.text, "the braces make too many words")];
  if (choices === undefined) return [unknownValue(word.text, "the braces are not computed")];
  const words: Value[] = [];
  for (const choice of choices) {
    if (!shell.spend()) return [unknownValue(word.text, "the command takes too long to read")];
    const script = parseShell(`: ${before}${choice}${after}`);
    const command = typeof script === "string" || faultOf(script) !== undefined ? undefined : script.commands[0]?.command;
    const args = command?.type === "Command" ? command.args : undefined;
    const [only] = args ?? [];
    // The shell drops an empty result.
    if (args?.length === 0) continue;
    if (only?.type !== "Word" || args?.length !== 1) return [unknownValue(word.text, "the braces are not computed")];
    words.push(...(only.parts === undefined && !/[~]/.test(only.text) ? [literal(only.value)] : expandWord(only, shell)));
    if (words.length > MAX_BRACE_WORDS) return [unknownValue(word.text, "the braces make too many words")];
  }
  return words;
}

/** What stands between the commas of `{a,b}`, or the steps of `{1..3}`. */
function braceChoices(text: string): readonly string[] | undefined {
  const inner = text.slice(1, -1);
  const range = /^(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?$/.exec(inner);
  if (range !== null) return rangeOf(range[1] as string, range[2] as string, Math.abs(Number(range[3] ?? 1)) || 1);
  const choices: string[] = [];
  let [depth, start, quote] = [0, 0, ""];
  for (let i = 0; i < inner.length; i++) {
    const char = inner[i] as string;
    if (char === "\\") i++;
    else if (quote !== "") quote = char === quote ? "" : quote;
    else if (char === '"' || char === "'" || char === "`") quote = char;
    else if (char === "{" || char === "(") depth++;
    else if (char === "}" || char === ")") depth--;
    else if (char === "," && depth === 0) {
      choices.push(inner.slice(start, i));
      start = i + 1;
    }
    if (choices.length > MAX_BRACE_WORDS) return undefined;
  }
  choices.push(inner.slice(start));
  return choices.length < 2 ? undefined : choices;
}

function rangeOf(first: string, last: string, step: number): readonly string[] | undefined {
  const isNumber = /\d/.test(first);
  if (isNumber !== /\d/.test(last)) return undefined;
  const [from, to] = isNumber ? [Number(first), Number(last)] : [first.charCodeAt(0), last.charCodeAt(0)];
  const count = Math.floor(Math.abs(to - from) / step) + 1;
  if (count > MAX_BRACE_WORDS) return undefined;
  const width = isNumber && (/^-?0\d/.test(first) || /^-?0\d/.test(last)) ? Math.max(first.length, last.length) : 0;
  return Array.from({ length: count }, (_, at) => {
    const value = from + Math.sign(to - from) * step * at;
    return isNumber ? String(value).padStart(width, "0") : escapePattern(String.fromCharCode(value));
  });
}
