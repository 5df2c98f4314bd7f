import type { Source } from "./facts.js";
import { concatAll, literal, unknownValue, type Value } from "./value.js";

/** What a call in a literal code does. */
export type CodeEffect =
  | { readonly kind: "read" | "write" | "delete" | "url" | "script"; readonly value: Value; readonly isRecursive?: boolean }
  | { readonly kind: "command"; readonly words: readonly Value[] }
  | { readonly kind: "send"; readonly from: Source }
  /** Code that is made when it runs. */
  | { readonly kind: "runs"; readonly from: Source };

/**
 * The meaning of calls, by a pattern for what stands before their arguments. `shell`: a text for a shell, or a list of words. `program`: a program
 * and its arguments. `open`: a path and a mode. `post`: an address that gets data. `code`: text that runs as code.
 */
type Meaning = "shell" | "program" | "delete" | "delete-tree" | "write" | "read" | "open" | "url" | "post" | "code" | "move";
type Calls = readonly (readonly [pattern: string, meaning: Meaning])[];

const tables: { readonly [language: string]: Calls } = {
  python: [
    ["(?:\\bos\\s*\\.|\\.|\\b)(?:system|popen|getoutput|getstatusoutput|Popen|check_output|check_call|create_subprocess_shell)", "shell"],
    ["\\b(?:subprocess|sp|asyncio)\\.(?:run|call)", "shell"],
    ["\\bos\\.exec[lv]p?e?|\\bos\\.spawn[lv]p?e?|\\bpty\\.spawn", "program"],
    ["\\bos\\.(?:remove|rmdir|removedirs)|(?:\\.|\\b)unlink", "delete"],
    ["(?:\\.|\\b)rmtree", "delete-tree"],
    ["\\bshutil\\.(?:move)|\\bos\\.(?:rename|replace)", "move"],
    ["\\bshutil\\.copy\\w*", "read"],
    ["(?<![\\w.])open|\\b(?:io|codecs)\\.open", "open"],
    ["(?:\\.|\\b)(?:urlopen|urlretrieve)|\\b(?:requests|httpx|session)\\.(?:get|head)", "url"],
    ["\\b(?:requests|httpx|session)\\.(?:post|put|patch)", "post"],
    ["(?<![\\w.])(?:exec|eval)", "code"],
  ],
  javascript: [
    ["(?:\\.|\\b)execSync|\\b(?:child_process|cp)\\.exec|['\"](?:node:)?child_process['\"]\\)\\.exec|(?<![\\w.])exec", "shell"],
    ["(?:\\.|\\b)(?:spawnSync|spawn|execFileSync|execFile)", "program"],
    ["\\bBun\\.\\$|\\bDeno\\.Command", "program"],
    ["(?:\\.|\\b)(?:unlinkSync|unlink)|\\bDeno\\.remove(?:Sync)?", "delete"],
    ["(?:\\.|\\b)(?:rmSync|rmdirSync|rmdir|rimraf(?:\\.sync)?)|\\bfs\\w*\\.rm|\\bpromises\\.rm", "delete-tree"],
    ["(?:\\.|\\b)(?:writeFileSync|writeFile|appendFileSync|appendFile|createWriteStream|truncateSync)", "write"],
    ["(?:\\.|\\b)(?:readFileSync|readFile|createReadStream)", "read"],
    ["(?:\\.|\\b)(?:renameSync|rename)", "move"],
    ["(?<![\\w.])fetch|\\bhttps?\\.(?:get|request)|\\baxios\\.get", "url"],
    ["\\baxios\\.(?:post|put|patch)", "post"],
    ["(?<![\\w.])(?:eval|Function)|\\bvm\\.runIn\\w+", "code"],
  ],
  perl: [
    ["(?<![\\w$.>-])(?:system|exec)", "shell"],
    ["(?<![\\w$])unlink", "delete"],
    ["(?<![\\w$])(?:rmtree|remove_tree)", "delete-tree"],
    ["(?<![\\w$])open", "open"],
    ["(?<![\\w$])eval(?!\\s*\\{)", "code"],
  ],
  ruby: [
    ["(?<![\\w$])(?:Kernel\\.)?(?:system|exec|spawn)|\\bIO\\.popen|\\bOpen3\\.\\w+", "shell"],
    ["\\bFile\\.(?:delete|unlink)|\\bFileUtils\\.(?:rm|rm_f)|\\bDir\\.(?:delete|rmdir)", "delete"],
    ["\\bFileUtils\\.(?:rm_rf|rm_r|remove_dir|rmtree)", "delete-tree"],
    ["\\b(?:File|IO)\\.(?:write|binwrite)", "write"],
    ["\\b(?:File|IO)\\.(?:read|readlines|binread)", "read"],
    ["\\bFile\\.open|(?<![\\w.])open", "open"],
    ["\\bNet::HTTP\\.get\\w*|\\bURI\\.open", "url"],
    ["(?<![\\w.])eval|\\binstance_eval", "code"],
  ],
  php: [
    ["(?<![\\w$>])(?:system|exec|shell_exec|passthru|popen|proc_open)", "shell"],
    ["(?<![\\w$])(?:unlink|rmdir)", "delete"],
    ["(?<![\\w$])file_put_contents", "write"],
    ["(?<![\\w$])(?:file_get_contents|readfile|file)", "read"],
    ["(?<![\\w$])fopen", "open"],
    ["(?<![\\w$])eval", "code"],
  ],
  awk: [["(?<![\\w$])system", "shell"]],
  lua: [
    ["\\bos\\.execute|\\bio\\.popen", "shell"],
    ["\\bos\\.remove", "delete"],
    ["\\bio\\.open", "open"],
    ["(?<![\\w.])(?:load|loadstring|dofile)", "code"],
  ],
};

type FoundText = readonly [kind: "script" | "read" | "write", text: string];

/**
 * Text that is not an argument of a call: backquotes, `qx{…}` and `%x(…)`, commands of editors, `print | "…"` of awk. The code comes from an agent,
 * so each search is linear: it has no two repetitions that can match the same text, and no unclosed text is searched twice.
 */
const texts: { readonly [language: string]: (code: string) => Iterable<FoundText> } = {
  *perl(code) {
    yield* between(code, /`/g);
    yield* between(code, /\bqx\s*[{([/|!]/g);
    yield* between(code, /\b(?:system|exec)\b[ \t(]*qw\s*[{([/|!]/g);
  },
  *ruby(code) {
    yield* between(code, /`/g);
    yield* between(code, /%x\s*[{([/|!]/g);
  },
  php: (code) => between(code, /`/g),
  *awk(code) {
    yield* between(code, /\|&?\s*"/g);
    for (const match of code.matchAll(/"([^"]*)"\s*\|&?\s*getline/g)) yield ["script", match[1] ?? ""];
    let isPrinting = false;
    for (const [token, file] of code.matchAll(/\bprintf?\b|>>?\s*"([^"]*)"|[|>;}\n]/g)) {
      if (file !== undefined && isPrinting) yield ["write", file];
      isPrinting = token.startsWith("print");
    }
  },
  sed: sedTexts,
  *gdb(code) {
    for (const line of code.split("\n")) {
      const text = /^\s*(?:platform\s+)?(?:!|shell\s|process\s+launch\s+--shell\s|make\s)(.*)$/.exec(line)?.[1];
      if (text !== undefined) yield ["script", text];
    }
  },
  *tcl(code) {
    // Quotes and words are close to those of a shell.
    for (const [, text = ""] of code.matchAll(/(?<![\w-])(?:spawn|exec|system)[ \t]+((?:"[^"]*"|\{[^}]*\}|[^\n;\]"{])+)/g))
      yield ["script", text.replace(/^(?:-\w+[ \t]+)*/, "").replace(/^\{(.*)\}$/s, "$1")];
  },
  *ex(code) {
    for (const [, text = ""] of code.matchAll(/\bsystem(?:list)?\(\s*["']([^"'\n]*)["']/g)) yield ["script", text];
    for (const line of code.split("\n")) {
      const command = line.trim().replace(/^[\s:]+/, "");
      for (const [pattern, kind] of exCommands) {
        const text = pattern.exec(command)?.[1];
        if (text !== undefined) yield [kind, text];
      }
    }
  },
};

/** For one line without blanks around it. */
const exCommands: readonly (readonly [RegExp, FoundText[0]])[] = [
  [/^(?:sil(?:ent)?!?\s)?[%\d,.$'<>\s]*!([^\n]+)$/, "script"],
  [/^[%\d,.$]*(?:r|read|w|write)\s*!([^\n]+)$/, "script"],
  [/^(?:term|terminal)\s([^\n]+)$/, "script"],
  [/^[%\d,.$]*(?:w|wq|x|write|sav|saveas|up|update)!?\s+(?:>>\s*)?([^!\s]\S*)$/, "write"],
  [/^(?:e|edit|r|read|tabe|tabedit|sp|split|vs|vsplit|so|source)!?\s+([^!\s+]\S*)$/, "read"],
];

/** The texts between a sign that opens and the next one that closes it. */
function* between(code: string, open: RegExp): Iterable<FoundText> {
  const missing = new Set<string>();
  for (let match = open.exec(code); match !== null; match = open.exec(code)) {
    const sign = match[0].slice(-1);
    const close = closing[sign] ?? sign;
    // Nothing closes a later one either.
    const end = missing.has(close) ? -1 : code.indexOf(close, open.lastIndex);
    if (end < 0) {
      missing.add(close);
      continue;
    }
    yield ["script", code.slice(open.lastIndex, end)];
    open.lastIndex = end + 1;
  }
}

const SED_ADDRESS = "(?:\\d+|\\$|\\/[^/\\n]*\\/)";
const sedCommand = new RegExp(`${SED_ADDRESS}?(?:,${SED_ADDRESS})?\\s*(?:!\\s*)?(?:(?:e|([wW]))[ \\t]([^\\n]+)|s(?=.))`, "y");
const sedFlags = /[gpiIMm\d]*w[ \t]([^\n]+)/y;

/** Looks wherever a command of sed can begin. */
function* sedTexts(code: string): Iterable<FoundText> {
  const following = nextSame(code);
  let done = 0;
  for (const { 0: before, index } of code.matchAll(/(?:^|[\n;{}])[\s;{}]*/g)) {
    sedCommand.lastIndex = index + before.length;
    if (sedCommand.lastIndex < done) continue;
    const command = sedCommand.exec(code);
    if (command === null) continue;
    const [, write, text] = command;
    if (text !== undefined) {
      done = sedCommand.lastIndex;
      yield [write === undefined ? "script" : "write", text];
      continue;
    }
    // `s/a/b/w file`: the sign after `s` stands three times.
    const third = following[following[sedCommand.lastIndex] ?? code.length];
    if (third === undefined) continue;
    sedFlags.lastIndex = third + 1;
    const file = sedFlags.exec(code)?.[1];
    if (file === undefined) continue;
    done = sedFlags.lastIndex;
    yield ["write", file];
  }
}

/** For each character where the same one stands next in its line, without a backslash. */
function nextSame(code: string): readonly (number | undefined)[] {
  const found = new Array<number | undefined>(code.length);
  const next = new Map<string, number>();
  for (let i = code.length - 1; i >= 0; i--) {
    const char = code[i] as string;
    if (char === "\n") next.clear();
    found[i] = next.get(char);
    if (code[i - 1] !== "\\") next.set(char, i);
  }
  return found;
}

const compiled = new Map<string, readonly { readonly pattern: RegExp; readonly meaning: Meaning }[]>();

function callsOf(language: string): readonly { readonly pattern: RegExp; readonly meaning: Meaning }[] {
  const known = compiled.get(language);
  if (known !== undefined) return known;
  const made = (tables[language] ?? []).map(([source, meaning]) => ({
    pattern: new RegExp(`(?:${source})\\s*(\\(|(?=["'\`[]))`, "g"),
    meaning,
  }));
  compiled.set(language, made);
  return made;
}

/** Longer code is not searched. */
const MAX_CODE = 16_384;
const MAX_CALLS = 200;
/** Calls inside calls are read once for each; this bounds the length of all their arguments together. */
const MAX_ARGUMENTS = 8 * MAX_CODE;
/** A text that is joined from more parts, or by more calls inside calls, is not computed. */
const MAX_TERMS = 64;
const MAX_DEPTH = 16;

/** What the calls in a code do that run commands, touch files or talk to hosts. Only calls that are written out are found. */
export function effectsOfCode(language: string, code: string, home: string): readonly CodeEffect[] {
  if (code.length > MAX_CODE) return [{ kind: "runs", from: "unknown" }];
  const effects: CodeEffect[] = [];
  const reading: Reading = { language, code, home };
  let length = 0;
  for (const { pattern, meaning } of callsOf(language)) {
    for (const match of code.matchAll(pattern)) {
      const args = argumentsAt(code, match.index + match[0].length, match[1] === "(");
      for (const arg of args) length += arg.length;
      if (effects.length > MAX_CALLS || length > MAX_ARGUMENTS) return [...effects, { kind: "runs", from: "unknown" }];
      effects.push(...effectsOfCall(meaning, args, reading));
    }
  }
  for (const [kind, text] of texts[language]?.(code) ?? []) {
    if (effects.length > MAX_CALLS) return [...effects, { kind: "runs", from: "unknown" }];
    effects.push({ kind, value: kind === "script" ? scriptText(text, language) : pathText(text, home) });
  }
  return effects;
}

interface Reading {
  readonly language: string;
  readonly code: string;
  readonly home: string;
}

function pathText(text: string, home: string): Value {
  return literal(text.trim().replace(/^~(?=\/|$)/, home));
}

function scriptText(text: string, language: string): Value {
  if (language === "sed" || language === "ex" || language === "awk" || language === "gdb") return literal(text);
  const hasVariables = language === "ruby" ? text.includes("#{") : /[$@]\w/.test(text);
  return hasVariables ? unknownValue(text, "the command in the code has variables") : literal(text);
}

function effectsOfCall(meaning: Meaning, args: readonly string[], reading: Reading): readonly CodeEffect[] {
  const [first, second] = args;
  if (first === undefined) return [];
  const { home } = reading;
  const value = evaluate(first, home);
  switch (meaning) {
    case "shell":
      return shellEffects(args, home);
    case "program": {
      const list = second === undefined ? undefined : listOf(second, home);
      return [{ kind: "command", words: list === undefined ? wordsOf(args, home) : [value, ...list] }];
    }
    case "delete":
      return args.filter((arg) => !isNamed(arg)).map((arg) => ({ kind: "delete", value: evaluate(arg, home) }));
    case "delete-tree":
      return [{ kind: "delete", value, isRecursive: true }];
    case "move":
      return [
        { kind: "read", value },
        { kind: "delete", value },
        ...(second === undefined ? [] : [{ kind: "write", value: evaluate(second, home) } as const]),
      ];
    case "read":
      return /^https?:/.test(value.text) ? [{ kind: "url", value }] : [{ kind: "read", value }];
    case "write":
      return [{ kind: "write", value }];
    case "open":
      return openEffects(args, reading);
    case "url":
      return [
        { kind: "url", value },
        ...(/\b(?:POST|PUT)\b/.test(reading.code) ? [{ kind: "send", from: sentFrom(reading.code) } as const] : []),
      ];
    case "post":
      return [
        { kind: "url", value },
        { kind: "send", from: sentFrom(reading.code) },
      ];
    case "code":
      return value.unknown === undefined
        ? effectsOfCode(reading.language, value.text, home)
        : [{ kind: "runs", from: madeFrom(reading.code) }];
  }
}

function shellEffects(args: readonly string[], home: string): readonly CodeEffect[] {
  const [first = ""] = args;
  const list = listOf(first, home);
  if (list !== undefined) return [{ kind: "command", words: list }];
  const others = args.slice(1).filter((arg) => /^\s*["']/.test(arg));
  // `system("rm", "-r", "x")` runs no shell.
  return others.length > 0 && others.length === args.length - 1
    ? [{ kind: "command", words: wordsOf(args, home) }]
    : [{ kind: "script", value: evaluate(first, home) }];
}

function openEffects(args: readonly string[], { language, home }: Reading): readonly CodeEffect[] {
  // Perl: open(F, ">", "x") and open(F, ">x").
  const [first = "", second = "", third] =
    language === "perl" ? (args.slice(1).length > 1 ? [args[2], args[1]] : [(args[1] ?? "").replace(/[<>+]+\s*/, ""), args[1]]) : args;
  const mode = [second, third ?? ""].find((arg) => /^\s*(?:mode\s*=\s*)?["'][<>|rwaxbt+: \w]*["']?/.test(arg)) ?? "";
  const isWriting = /["'][^"']*[wax+>]/.test(mode);
  if (first.trim() === "") return [];
  return [{ kind: isWriting ? "write" : "read", value: evaluate(first, home) }];
}

function sentFrom(code: string): Source {
  if (/\bopen\s*\(|readFile/.test(code)) return "file";
  return /\benviron\b|process\.env\b|\bENV\b/.test(code) ? "secret" : "literal";
}

function madeFrom(code: string): Source {
  if (/urlopen|requests\.|httpx\.|fetch\s*\(|https?\.get|Net::HTTP|URI\.open|LWP/.test(code)) return "network";
  return /b64decode|atob|base64|fromhex|unhexlify|Buffer\.from|decode64|unpack|codecs\.decode|zlib/.test(code) ? "decoded" : "unknown";
}

function isNamed(arg: string): boolean {
  return /^\s*\w+\s*=[^=]/.test(arg);
}

function wordsOf(args: readonly string[], home: string): readonly Value[] {
  return args.filter((arg) => !isNamed(arg)).flatMap((arg) => listOf(arg, home) ?? [evaluate(arg, home)]);
}

/** The elements of a list that is written out. */
function listOf(text: string, home: string): readonly Value[] | undefined {
  const inner = /^\s*(?:args\s*=\s*)?[[(]([\s\S]*)[\])]\s*$/.exec(text)?.[1];
  return inner === undefined ? undefined : pieces(inner, ",").map((one) => evaluate(one, home));
}

const homes =
  /^(?:os\.homedir\(\)|homedir\(\)|process\.env\.HOME|os\.environ\[["']HOME["']\]|os\.(?:getenv|environ\.get)\(["']HOME["']\)|(?:pathlib\.)?Path\.home\(\)|ENV\[["']HOME["']\]|Dir\.home|\$ENV\{HOME\}|getenv\(["']HOME["']\))$/;

/** The value of a text that is written out: literals, joined, also with the home folder. */
function evaluate(source: string, home: string, depth = 0): Value {
  const text = source.trim();
  const terms = pieces(text, "+");
  if (depth > MAX_DEPTH || terms.length > MAX_TERMS) return unknownValue(text, "a value in the code has too many parts");
  if (terms.length > 1) return concatAll(terms.map((term) => evaluate(term, home, depth + 1)));
  if (homes.test(text)) return literal(home);
  const string = /^(?<prefix>[rbuRBUfF]{0,2})(?<quote>"""|'''|"|'|`)(?<body>[\s\S]*)\k<quote>$/.exec(text)?.groups;
  if (string !== undefined) {
    const { prefix = "", body = "", quote = "" } = string;
    const isOpen =
      (/f/i.test(prefix) && body.includes("{")) || (quote === "`" && body.includes("${")) || (quote === '"' && /#\{/.test(body));
    if (isOpen) return unknownValue(text, "a text in the code has variables");
    return literal(/r/i.test(prefix) ? body : body.replace(/\\(x[\da-fA-F]{2}|[nt\\'"`])/g, (_, code: string) => unescaped(code)));
  }
  const call = /^(?:[\w.]+\.)?(expanduser|join|Path|str|resolve|abspath|expandvars|realpath)\(([\s\S]*)\)$/.exec(text);
  if (call !== null) return joinedCall(call[1] as string, pieces(call[2] as string, ","), home, depth);
  return unknownValue(text, "a value in the code is computed");
}

function joinedCall(name: string, args: readonly string[], home: string, depth: number): Value {
  if (args.length > MAX_TERMS) return unknownValue(name, "a value in the code has too many parts");
  const values = args.map((arg) => evaluate(arg, home, depth + 1));
  if (name === "join" || name === "resolve") return concatAll(values.flatMap((value, at) => (at > 0 ? [literal("/"), value] : [value])));
  const [first = literal("")] = values;
  return first.unknown === undefined ? { ...first, text: first.text.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, home) } : first;
}

function unescaped(code: string): string {
  if (code.startsWith("x")) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
  return { n: "\n", t: "\t" }[code] ?? code;
}

/** The arguments of a call: up to its closing bracket, or without one to the end of the statement. */
function argumentsAt(code: string, start: number, hasBracket: boolean): readonly string[] {
  const end = endOf(code, start, hasBracket ? ")" : ";\n");
  return pieces(code.slice(start, end), ",");
}

const closing: { readonly [open: string]: string } = { "(": ")", "[": "]", "{": "}" };

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
