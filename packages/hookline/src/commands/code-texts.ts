import { closing } from "./code-values.js";

type FoundText = readonly [kind: "script" | "read" | "write", text: string];

/**
 * Text that is not an argument of a call: backquotes, `qx{…}` and `%x(…)`, commands of editors, `print | "…"` of awk. The code comes from an agent,
 * so each search is linear: it has no two repetitions that can match the same text, and no unclosed text is searched twice.
 */
export const texts: { readonly [language: string]: (code: string) => Iterable<FoundText> } = {
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
    for (const [, text = ""] of code.matchAll(/(?<![\w-])(?:spawn|exec|system)[ \t]+((?:"[^"]{0,1000}"|\{[^}]{0,1000}\}|[^\n;\]"{])+)/g))
      yield ["script", text.replace(/^(?:-\w+[ \t]+)*/, "").replace(/^\{(.*)\}$/s, "$1")];
  },
  *applescript(code) {
    for (const [, text = ""] of code.matchAll(/\bdo shell script[ \t]+"((?:[^"\\]|\\.)*)"/g))
      yield ["script", text.replace(/\\(.)/g, "$1")];
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
