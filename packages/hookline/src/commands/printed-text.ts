import type { Flow, PathFact } from "./facts.js";
import { joinPath } from "./paths.js";
import { type Data, noData } from "./scope.js";
import { concat, concatAll, escapePattern, isExact, joinWords, literal, someName, type Value } from "./value.js";

/** What is known of a program when it prints. */
export interface Printing {
  readonly args: readonly Value[];
  readonly operands: readonly Value[];
  readonly options: readonly { readonly name: string; readonly value: Value | undefined }[];
  readonly dir: PathFact;
  /** The files that it reads, or its input. */
  readonly input: Data;
  /** How many temporary files were made before. */
  readonly nextTemporary: () => number;
}

type Printer = (printing: Printing) => Value | Data | undefined;

/** What a program prints, where that can be computed from its words and its input. */
export function printedText(program: string, printing: Printing): Data | undefined {
  const printer = Object.hasOwn(printers, program) ? printers[program] : undefined;
  const printed = printer?.(printing);
  if (printed === undefined) return undefined;
  if (!("text" in printed)) return printed;
  return { flows: printed.flows ?? [literalFlow(printed)], value: printed };
}

function literalFlow({ text, pattern, unknown }: Value): Flow {
  if (unknown !== undefined) return { from: "unknown", why: unknown };
  return pattern === undefined ? { from: "literal", text } : { from: "literal" };
}

const newline = literal("\n");

const simpleEscapes: { readonly [char: string]: string } = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  "\\": "\\",
  e: "\x1b",
  E: "\x1b",
};

/** The escapes of `echo -e` and printf. */
function withoutEscapes(text: string): string {
  return text.replace(/\\(x[\da-fA-F]{1,2}|u[\da-fA-F]{1,4}|U[\da-fA-F]{1,8}|0?[0-7]{1,3}|[ntrabfv\\eE'"])/g, (_, code: string) => {
    if (/^[xuU]/.test(code)) return String.fromCodePoint(Math.min(Number.parseInt(code.slice(1), 16), 0x10ffff));
    return /^\d/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : (simpleEscapes[code] ?? code);
  });
}

function echo({ args }: Printing): Value {
  let at = 0;
  let [isRaw, hasEscapes] = [false, false];
  for (; /^-[neE]+$/.test(args[at]?.text ?? ""); at++) {
    isRaw ||= args[at]?.text.includes("n") === true;
    hasEscapes ||= args[at]?.text.includes("e") === true;
  }
  const value = joinWords(args.slice(at), " ");
  const text = hasEscapes && isExact(value) ? { ...value, text: withoutEscapes(value.text) } : value;
  return isRaw ? text : concat(text, newline);
}

function printf({ args }: Printing): Value | undefined {
  const [format, ...values] = args[0]?.text === "--" ? args.slice(1) : args;
  if (format === undefined || !isExact(format) || format.text === "-v") return undefined;
  const rest = [...values];
  const parts: Value[] = [];
  do {
    const before = rest.length;
    for (const piece of format.text.match(/%%|%[-+ #0]*\d*(?:\.\d+)?[a-zA-Z]|[^%]+|%/g) ?? []) {
      if (piece === "%%") parts.push(literal("%"));
      else if (!/^%.*[a-zA-Z]$/.test(piece)) parts.push(literal(withoutEscapes(piece)));
      else {
        const value = rest.shift() ?? literal("");
        const isPlain = /^%[sbdiu]$/.test(piece);
        if (!isPlain && !(piece === "%c" && isExact(value))) return undefined;
        parts.push(
          piece === "%b" && isExact(value)
            ? { ...value, text: withoutEscapes(value.text) }
            : piece === "%c"
              ? literal(value.text.slice(0, 1))
              : value,
        );
      }
    }
    if (rest.length === before) break;
  } while (rest.length > 0);
  return concatAll(parts);
}

/** A path with one name changed, or undefined if it is not known. */
function ofPath(change: (path: string) => string): Printer {
  return ({ operands }) => {
    const [path] = operands;
    return path === undefined || !isExact(path) ? undefined : concat(literal(change(path.text)), newline);
  };
}

function located({ operands, args }: Printing): Value | undefined {
  const names = operands.length > 0 ? operands : args.filter(({ text }) => !text.startsWith("-"));
  if (names.length === 0 || !names.every(isExact)) return undefined;
  return literal(names.map(({ text }) => `${text.includes("/") ? text : `/usr/bin/${text}`}\n`).join(""));
}

/** A character that mktemp chooses. It never chooses one of these signs, so the number of them can tell one call from another. */
function chosen(count: number, number: number): string {
  return number === 0 || count === 0 ? "?".repeat(count) : `[!${"-".repeat(number)}]${"?".repeat(count - 1)}`;
}

function temporary({ operands, options, nextTemporary }: Printing): Value {
  const folder = options.find(({ name }) => name === "--tmpdir" || name === "-p")?.value;
  const [template] = operands;
  const name = escapePattern(template?.text ?? "tmp.XXXXXXXXXX").replace(/X{3,}(?!.*X{3,})/, (all) => chosen(all.length, nextTemporary()));
  const isTemporary =
    template === undefined || options.some(({ name: option }) => option === "-t" || option === "--tmpdir" || option === "-p");
  const path = isTemporary ? `${folder !== undefined && isExact(folder) ? folder.text : "/tmp"}/${name}` : name;
  const isMade = !options.some(({ name: option }) => option === "-u" || option === "--dry-run");
  return { ...literal(path), pattern: `${path}\n`, ...(isMade && { isMade }) };
}

/** The text of the input, if all of it is known. */
function exactInput({ input: { value } }: Printing): string | undefined {
  return value !== undefined && isExact(value) ? value.text : undefined;
}

function isDecoding({ args }: Printing): boolean {
  return args.some(({ text }) => text === "--decode" || (/^-[a-zA-Z]+$/.test(text) && /[dD]/.test(text)) || /^--d/.test(text));
}

function decodedAs(encoding: BufferEncoding): (printing: Printing) => Value | undefined {
  return (printing) => {
    const text = exactInput(printing);
    if (text === undefined) return undefined;
    const decoded = Buffer.from(text, encoding).toString("utf8");
    return { ...literal(decoded), flows: [{ from: "decoded", text: decoded }] };
  };
}

function base64(printing: Printing): Value | undefined {
  if (isDecoding(printing)) return decodedAs("base64")(printing);
  const text = exactInput(printing);
  return text === undefined ? undefined : literal(`${Buffer.from(text).toString("base64")}\n`);
}

function hex(printing: Printing): Value | undefined {
  return printing.args.some(({ text }) => /^-\w*r/.test(text))
    ? decodedAs("hex")({ ...printing, input: withoutSpaces(printing.input) })
    : undefined;
}

function withoutSpaces(input: Data): Data {
  return input.value === undefined ? input : { ...input, value: { ...input.value, text: input.value.text.replace(/\s+/g, "") } };
}

/** `tr a-z n-za-m`, with ranges; classes are not computed. */
function translated(printing: Printing): Value | undefined {
  const text = exactInput(printing);
  const [from, to] = printing.operands;
  if (text === undefined || from === undefined || !isExact(from) || (to !== undefined && !isExact(to))) return undefined;
  if (printing.options.some(({ name }) => name !== "--delete" && name !== "-d")) return undefined;
  const [before, after] = [charactersOf(from.text), charactersOf(to?.text ?? "")];
  if (before === undefined || after === undefined) return undefined;
  const changed = [...text].map((char) => {
    const at = before.lastIndexOf(char);
    return at < 0 ? char : to === undefined ? "" : (after[at] ?? after.at(-1) ?? "");
  });
  const { flows } = printing.input;
  const value = changed.join("");
  return { ...literal(value), flows: flows.some(({ from: origin }) => origin !== "literal") ? flows : undefined };
}

function charactersOf(set: string): readonly string[] | undefined {
  if (/\[[:=]/.test(set)) return undefined;
  const plain = withoutEscapes(set);
  const characters: string[] = [];
  for (let i = 0; i < plain.length; i++) {
    const [first, last] = [plain.charCodeAt(i), plain.charCodeAt(i + 2)];
    if (plain[i + 1] !== "-" || !(last >= first) || last - first > 255) characters.push(plain[i] as string);
    else {
      for (let code = first; code <= last; code++) characters.push(String.fromCharCode(code));
      i += 2;
    }
  }
  return characters;
}

function sequence({ operands }: Printing): Value | undefined {
  const numbers = operands.map(({ text }) => Number(text));
  const [from, step, to] = numbers.length === 1 ? [1, 1, numbers[0]] : numbers.length === 2 ? [numbers[0], 1, numbers[1]] : numbers;
  if (from === undefined || step === undefined || to === undefined || !numbers.every(Number.isInteger) || step === 0) return undefined;
  const count = Math.floor((to - from) / step) + 1;
  if (count > 256) return someName("*");
  return literal(Array.from({ length: Math.max(0, count) }, (_, at) => `${from + at * step}\n`).join(""));
}

/** The names in a folder, or the operands where these are patterns. A long list has more than names. */
function listed({ operands, args }: Printing): Data | undefined {
  const letters = args.filter(({ text }) => /^-\w/.test(text)).map(({ text }) => text);
  if (letters.some((text) => /[lnogsi]/.test(text))) return undefined;
  const isItself = letters.some((text) => text.includes("d"));
  const folders = operands.length === 0 ? [literal(".")] : operands;
  const names = folders.map((one) => (isItself || !isExact(one) ? one : { ...literal("./*"), pattern: "./*" }));
  return { flows: [{ from: "unknown", why: "the names of files are not known" }], value: undefined, names };
}

const aName: Printer = () => someName("*");

const printers: { readonly [program: string]: Printer } = {
  echo,
  printf,
  pwd: ({ dir }) => (dir.glob === undefined && dir.unknown === undefined ? literal(`${dir.path}\n`) : undefined),
  which: located,
  command: located,
  type: located,
  basename: ofPath((path) => path.replace(/\/+$/, "").replace(/^.*\//, "")),
  dirname: ofPath((path) => (path.includes("/") ? path.replace(/\/+[^/]*\/*$/, "") || "/" : ".")),
  realpath: ({ operands: [path], dir }) =>
    path !== undefined && isExact(path) && dir.unknown === undefined && dir.glob === undefined
      ? literal(`${joinPath(dir.path, path.text)}\n`)
      : undefined,
  readlink: (printing) => (printing.options.length > 0 ? printers.realpath?.(printing) : undefined),
  mktemp: temporary,
  base64,
  xxd: hex,
  tr: translated,
  rev(printing) {
    const text = exactInput(printing);
    return text === undefined
      ? undefined
      : literal(
          text
            .split("\n")
            .map((line) => [...line].reverse().join(""))
            .join("\n"),
        );
  },
  cat: ({ input }) => (input === noData ? undefined : input),
  tee: ({ input }) => (input === noData ? undefined : input),
  seq: sequence,
  date: (printing) => (printing.args.some(({ text }) => text.includes("/") || text === "%D") ? undefined : someName("*")),
  ls: listed,
  lsof: ({ args }) => (args.some(({ text }) => /^-\w*t/.test(text)) ? someName("*") : undefined),
  pgrep: aName,
  pidof: aName,
  whoami: aName,
  hostname: aName,
  nproc: aName,
  uname: aName,
  id: aName,
  uuidgen: aName,
  wc: aName,
};
