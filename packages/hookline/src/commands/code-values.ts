import { concatAll, joinWords, literal, unknownValue, type Value } from "./value.js";

/** A text that is joined from more parts, or by more calls inside calls, is not computed. */
const MAX_TERMS = 64;
export const MAX_VALUES = 2_000;
const MAX_DEPTH = 16;
/** How much of the code before a method is looked at. */
const MAX_BEFORE = 400;

export interface Reading {
  readonly language: string;
  readonly code: string;
  readonly home: string;
  /** What variables are set to, as it is written. Undefined for one that is set twice. */
  readonly variables: ReadonlyMap<string, string | undefined>;
  /** How many more values are computed: a variable can name others many times. */
  left: number;
}

/** More than these are not looked for. */
const MAX_VARIABLES = 100;

export function variablesIn(code: string): ReadonlyMap<string, string | undefined> {
  const found = new Map<string, string | undefined>();
  for (const [, name = "", value] of code.matchAll(
    /(?:^|[;\n{])[ \t]*(?:(?:const|let|var|my)[ \t]+)?\$?([A-Za-z_]\w*)[ \t]*=(?![=>~])([^;\n]*)/g,
  )) {
    if (found.size >= MAX_VARIABLES) break;
    found.set(name, found.has(name) ? undefined : value);
  }
  return found;
}

/** The expression that ends at a place: names, dots, and brackets with what is in them. */
export function expressionBefore(code: string, end: number): string | undefined {
  let open = 0;
  let at = end - 1;
  for (; at >= 0 && end - at < MAX_BEFORE; at--) {
    const char = code[at] as string;
    if (char === ")" || char === "]") open++;
    else if (char === "(" || char === "[") {
      if (--open < 0) break;
    } else if (open === 0 && !/[\w.]/.test(char)) break;
  }
  const text = code.slice(at + 1, end);
  return text === "" ? undefined : text;
}

export function isNamed(arg: string): boolean {
  return /^\s*\w+\s*=[^=]/.test(arg);
}

export function wordsOf(args: readonly string[], reading: Reading): readonly Value[] {
  return args.filter((arg) => !isNamed(arg)).flatMap((arg) => listOf(arg, reading) ?? [evaluate(arg, reading)]);
}

/** The elements of a list that is written out. */
export function listOf(text: string, reading: Reading): readonly Value[] | undefined {
  const inner = /^\s*(?:args\s*=\s*)?[[(]([\s\S]*)[\])]\s*$/.exec(text)?.[1];
  return inner === undefined ? undefined : pieces(inner, ",").map((one) => evaluate(one, reading));
}

const homes =
  /^(?:os\.homedir\(\)|homedir\(\)|process\.env\.HOME|os\.environ\[["']HOME["']\]|os\.(?:getenv|environ\.get)\(["']HOME["']\)|(?:pathlib\.)?Path\.home\(\)|ENV\[["']HOME["']\]|Dir\.home|\$ENV\{HOME\}|getenv\(["']HOME["']\))$/;

/** The value of a text that is written out: literals, joined, also with the home folder. */
export function evaluate(source: string, reading: Reading, depth = 0): Value {
  const text = source.trim();
  if (--reading.left < 0) return unknownValue(text, "the code has too many values");
  const terms = pieces(text, "+");
  if (depth > MAX_DEPTH || terms.length > MAX_TERMS) return unknownValue(text, "a value in the code has too many parts");
  if (terms.length > 1) return concatAll(terms.map((term) => evaluate(term, reading, depth + 1)));
  if (homes.test(text)) return literal(reading.home);
  const variable = /^\$?[A-Za-z_]\w*$/.test(text) ? reading.variables.get(text.replace(/^\$/, "")) : undefined;
  if (variable !== undefined) return evaluate(variable, reading, depth + 1);
  const string = /^(?<prefix>[rbuRBUfF]{0,2})(?<quote>"""|'''|"|'|`)(?<body>[\s\S]*)\k<quote>$/.exec(text)?.groups;
  if (string !== undefined) {
    const { prefix = "", body = "", quote = "" } = string;
    const isOpen =
      (/f/i.test(prefix) && body.includes("{")) || (quote === "`" && body.includes("${")) || (quote === '"' && /#\{/.test(body));
    if (isOpen) return unknownValue(text, "a text in the code has variables");
    return literal(/r/i.test(prefix) ? body : body.replace(/\\(x[\da-fA-F]{2}|[nt\\'"`])/g, (_, code: string) => unescaped(code)));
  }
  if (reading.language === "python") {
    const parts = pieces(text, "/");
    if (parts.length > 1 && parts.length <= MAX_TERMS) return joinedPath(parts.map((part) => evaluate(part, reading, depth + 1)));
    // `Path("~/a").expanduser()` and `(a / b)` are what they hold.
    const inner = /^([\s\S]*\))\.(?:expanduser|resolve|absolute)\(\)$/.exec(text)?.[1] ?? bracketed(text);
    if (inner !== undefined) return withHome(evaluate(inner, reading, depth + 1), reading.home);
  }
  const call =
    /^(?:[\w.]+\.)?(expanduser|join|joinpath|Path|PosixPath|PurePath|str|resolve|abspath|expandvars|realpath|fspath)\(([\s\S]*)\)$/.exec(
      text,
    );
  // The bracket that ends the text must be the one that the call opens.
  if (call !== null && endOf(text, text.indexOf("(") + 1, ")") === text.length - 1)
    return joinedCall(call[1] as string, pieces(call[2] as string, ","), reading, depth);
  return unknownValue(text, "a value in the code is computed");
}

function joinedCall(name: string, args: readonly string[], reading: Reading, depth: number): Value {
  if (args.length > MAX_TERMS) return unknownValue(name, "a value in the code has too many parts");
  const values = args.map((arg) => evaluate(arg, reading, depth + 1));
  if (name === "join" || name === "joinpath" || name === "resolve" || name.endsWith("Path"))
    return withHome(joinedPath(values), reading.home);
  const [first = literal("")] = values;
  return withHome(first, reading.home);
}

function joinedPath(values: readonly Value[]): Value {
  return joinWords(values, "/");
}

function withHome(value: Value, home: string): Value {
  return value.unknown === undefined ? { ...value, text: value.text.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, home) } : value;
}

/** The text inside of brackets that stand around all of it. */
function bracketed(text: string): string | undefined {
  return text.startsWith("(") && endOf(text, 1, ")") === text.length - 1 ? text.slice(1, -1) : undefined;
}

function unescaped(code: string): string {
  if (code.startsWith("x")) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
  return { n: "\n", t: "\t" }[code] ?? code;
}

/** The arguments of a call: up to its closing bracket, or without one to the end of the statement. */
export function argumentsAt(code: string, start: number, hasBracket: boolean): readonly string[] {
  const end = endOf(code, start, hasBracket ? ")" : ";\n");
  return pieces(code.slice(start, end), ",");
}

export const closing: { readonly [open: string]: string } = { "(": ")", "[": "]", "{": "}" };

function endOf(code: string, start: number, ends: string): number {
  const open: string[] = [];
  for (let i = start; i < code.length; i++) {
    const char = code[i] as string;
    if (open.length === 0 && ends.includes(char)) return i;
    if (char === '"' || char === "'" || char === "`") i = afterQuote(code, i) - 1;
    else if (closing[char] !== undefined) open.push(closing[char]);
    else if (open.at(-1) === char) open.pop();
    else if (char === ")" || char === "]" || char === "}") return i;
  }
  return code.length;
}

function afterQuote(code: string, start: number): number {
  const quote = code.startsWith(code.slice(start, start + 1).repeat(3), start)
    ? code.slice(start, start + 3)
    : code.slice(start, start + 1);
  for (let i = start + quote.length; i < code.length; i++) {
    if (code[i] === "\\") i++;
    else if (code.startsWith(quote, i)) return i + quote.length;
  }
  return code.length;
}

/** Splits at a sign that stands outside of quotes and brackets. */
function pieces(text: string, sign: string): readonly string[] {
  const found: string[] = [];
  let start = 0;
  while (start <= text.length) {
    const end = endOf(text, start, sign);
    const isSign = text[end] === sign;
    found.push(text.slice(start, isSign ? end : text.length));
    if (!isSign) break;
    start = end + 1;
  }
  return found.filter((piece) => piece.trim() !== "");
}
