/** One piece of a word. Pieces that follow each other without a space are one word. */
export type Part =
  | { readonly kind: "text"; readonly text: string; readonly isQuoted: boolean }
  /** `$x`, `$env:X`, `@x`: in lower case. */
  | { readonly kind: "variable"; readonly name: string }
  /** `(…)`, `$(…)`, `@(…)`: what these commands give. */
  | { readonly kind: "group"; readonly script: Script }
  /** `{…}`: code as a value. */
  | { readonly kind: "block"; readonly script: Script }
  /** `@{…}`: names and values. */
  | { readonly kind: "table"; readonly script: Script }
  /** `[System.IO.File]` */
  | { readonly kind: "type"; readonly name: string }
  /** `.Name`, `::Name`, `.Name(…)`. */
  | { readonly kind: "member"; readonly name: string; readonly args: readonly Word[] | undefined };

export interface Word {
  readonly parts: readonly Part[];
}

export interface Command {
  /** `&` or `.` stands before it: its first word is a program, whatever it looks like. */
  readonly isCalled: boolean;
  readonly words: readonly Word[];
  readonly writes: readonly { readonly target: Word; readonly append: boolean }[];
}

export interface Pipeline {
  /** The variable that gets what it gives. */
  readonly assigns: string | undefined;
  readonly commands: readonly Command[];
}

export type Script = readonly Pipeline[];

/** What this parser does not read. */
class Unreadable extends Error {}

const MAX_DEPTH = 24;
const KEYWORDS = new Set(
  "if elseif else foreach for while do until switch try catch finally function filter begin process end return throw break continue exit in".split(
    " ",
  ),
);
const UNREAD_KEYWORDS = new Set(["class", "enum", "using", "workflow", "configuration", "trap", "data", "dynamicparam"]);

/** A text of PowerShell, or why it cannot be read. */
export function parsePowerShell(text: string): Script | string {
  const parser = new Parser(text);
  try {
    return parser.script(undefined);
  } catch (error) {
    if (error instanceof Unreadable) return error.message;
    throw error;
  }
}

class Parser {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  script(close: ")" | "}" | undefined): Script {
    if (++this.#depth > MAX_DEPTH) throw new Unreadable("the PowerShell is nested too deep");
    const pipelines: Pipeline[] = [];
    for (;;) {
      this.#skip(/(?:[\s;]|`\r?\n)+/y);
      if (this.#skip(/#[^\n]*|<#[\s\S]*?#>/y)) continue;
      if (this.#at >= this.#text.length) {
        if (close === undefined) break;
        throw this.#fault(`a ${close === ")" ? "(" : "{"} is not closed`);
      }
      if (this.#text[this.#at] === close) {
        this.#at++;
        break;
      }
      if (this.#skip(/&&|\|\||&(?=\s*(?:$|[\n;)}]))/y)) continue;
      const from = this.#at;
      pipelines.push(...this.#statement());
      if (this.#at === from) throw this.#fault(`"${this.#text[from]}" is not expected`);
    }
    this.#depth--;
    return pipelines;
  }

  #statement(): Script {
    const word = this.#peek(/[A-Za-z]+(?=[\s({;}]|$)/y)?.toLowerCase();
    if (word !== undefined && UNREAD_KEYWORDS.has(word)) throw this.#fault(`"${word}" is not read`);
    if (word === "param") {
      this.#skip(/param\s*/iy);
      return [this.#pipeline()];
    }
    if (word !== undefined && KEYWORDS.has(word)) {
      this.#skip(/[A-Za-z]+[ \t]*/y);
      // The name of a function, and `$x` of `foreach ($x in …)`, are words like others: what is in brackets and braces runs.
      if (word === "function" || word === "filter") this.#skip(/[\w:-]+[ \t]*/y);
      const next = this.#peek(/\s*[({]/y);
      if (next !== undefined) this.#skip(/\s*/y);
      return this.#peek(/[\n;}]|$/y) === undefined ? [this.#pipeline()] : [];
    }
    const [, scope = "", name] = this.#match(/(?:\[[\w.[\]]+\]\s*)?\$(\w+:)?(\w+)\s*[-+*/]?=(?!=)[ \t]*/y) ?? [];
    if (name === undefined) return [this.#pipeline()];
    if (/^(?:function|alias):/i.test(scope)) throw this.#fault(`${scope}${name} gets a value`);
    return [{ ...this.#pipeline(), assigns: `${/^(?:global|script|local|private):/i.test(scope) ? "" : scope}${name}`.toLowerCase() }];
  }

  #pipeline(): Pipeline {
    const commands = [this.#command()];
    while (this.#skip(/[ \t]*\|(?!\|)\s*/y)) commands.push(this.#command());
    return { assigns: undefined, commands };
  }

  #command(): Command {
    const isCalled = this.#skip(/[&.](?=[\s$("'{])[ \t]*/y);
    const words: Word[] = [];
    const writes: { target: Word; append: boolean }[] = [];
    for (;;) {
      this.#skip(/(?:[ \t,]|`\r?\n)+/y);
      if (this.#skip(/#[^\n]*|<#[\s\S]*?#>/y)) continue;
      if (this.#skip(/[\d*]?>&\d/y)) continue;
      const redirection = this.#match(/[\d*]?(>>?)[ \t]*/y);
      if (redirection !== undefined) {
        writes.push({ target: this.#word(), append: redirection[1] === ">>" });
        continue;
      }
      if (this.#peek(/[\n\r;|)}&]|$/y) !== undefined) break;
      if (this.#peek(/--%/y) !== undefined) throw this.#fault("--% is not read");
      // A block after a newline belongs to the keyword before it.
      words.push(this.#word());
    }
    return { isCalled, words, writes };
  }

  #word(): Word {
    const parts: Part[] = [];
    for (;;) {
      const part = this.#part(parts);
      if (part === undefined) break;
      parts.push(part);
    }
    if (parts.length === 0) throw this.#fault("a word is not read");
    return { parts };
  }

  #part(before: readonly Part[]): Part | undefined {
    const text = this.#text;
    const char = text[this.#at];
    if (char === undefined) return undefined;
    const last = before.at(-1);
    if (last !== undefined && (last.kind !== "text" || (before.length === 1 && last.isQuoted))) {
      const member = this.#match(/(?:\.|::)([A-Za-z_]\w*)/y);
      if (member !== undefined)
        return { kind: "member", name: (member[1] ?? "").toLowerCase(), args: this.#skip(/\(/y) ? this.#list() : undefined };
      if (last.kind !== "text" && char === "[") return this.#index();
    }
    if (char === "'") return this.#quoted(/'((?:[^']|'')*)'/y, (inner) => inner.replaceAll("''", "'"));
    if (char === '"') return { kind: "group", script: this.#expandable(() => this.#skip(/"(?!")/y)) };
    if (char === "@") return this.#special();
    if (char === "(") return this.#nested(")", "group");
    if (char === "{") return this.#nested("}", "block");
    if (char === "[" && before.length === 0) {
      const type = this.#match(/\[([A-Za-z_][\w.,[\]]*)\]/y);
      if (type !== undefined) return { kind: "type", name: (type[1] ?? "").toLowerCase() };
    }
    if (char === "$") return this.#variable() ?? this.#literal();
    return this.#literal();
  }

  /** What is asked of an item does not matter, only what runs to find it. */
  #index(): Part {
    this.#at++;
    const words: Word[] = [];
    while (!this.#skip(/[\s,]*\]/y)) {
      this.#skip(/[\s,]+/y);
      if (this.#at >= this.#text.length) throw this.#fault("a [ is not closed");
      words.push(this.#skip(/[\w.+*-]+/y) ? { parts: [] } : this.#word());
    }
    return { kind: "member", name: "", args: words };
  }

  #list(): readonly Word[] {
    const words: Word[] = [];
    while (!this.#skip(/[\s,]*\)/y)) {
      this.#skip(/[\s,]+/y);
      if (this.#at >= this.#text.length) throw this.#fault("a ( is not closed");
      words.push(this.#word());
    }
    return words;
  }

  #special(): Part {
    const here = this.#match(/@'[ \t]*\r?\n([\s\S]*?)\r?\n'@/y);
    if (here !== undefined) return { kind: "text", text: here[1] ?? "", isQuoted: true };
    if (this.#skip(/@"[ \t]*\r?\n/y)) {
      this.#at--;
      return { kind: "group", script: this.#expandable(() => this.#skip(/\r?\n"@/y)) };
    }
    if (this.#skip(/@(?=\()/y)) return this.#nested(")", "group");
    if (this.#skip(/@(?=\{)/y)) return this.#nested("}", "table");
    const splat = this.#match(/@(\w+)/y);
    if (splat === undefined) throw this.#fault('"@" is not expected');
    return { kind: "variable", name: (splat[1] ?? "").toLowerCase() };
  }

  #nested(close: ")" | "}", kind: "group" | "block" | "table"): Part {
    this.#at++;
    return { kind, script: this.script(close) };
  }

  /** A text in double quotes is one word, whose parts stand in a group of their own: no member can follow them by accident. */
  #expandable(ends: () => boolean): Script {
    this.#at++;
    const parts: Part[] = [{ kind: "text", text: "", isQuoted: true }];
    for (;;) {
      if (this.#at >= this.#text.length) throw this.#fault('a " is not closed');
      if (ends()) break;
      const plain = this.#match(/(?:[^"`$\r\n]|"")+/y) ?? this.#match(/[\r\n]/y);
      if (plain !== undefined) parts.push({ kind: "text", text: plain[0].replaceAll('""', '"'), isQuoted: true });
      else if (this.#text[this.#at] === "$") parts.push(this.#variable() ?? this.#dollar());
      else parts.push({ kind: "text", text: this.#escape(), isQuoted: true });
    }
    return [{ assigns: undefined, commands: [{ isCalled: false, words: [{ parts }], writes: [] }] }];
  }

  #dollar(): Part {
    this.#at++;
    return { kind: "text", text: "$", isQuoted: true };
  }

  #variable(): Part | undefined {
    if (this.#skip(/\$(?=\()/y)) return this.#nested(")", "group");
    const found = this.#match(/\$(?:\{([^}]+)\}|((?:\w+:)?\w+|[?^$_]))/y);
    if (found === undefined) return undefined;
    return { kind: "variable", name: (found[1] ?? found[2] ?? "").toLowerCase().replace(/^(?:global|script|local|private):/, "") };
  }

  #quoted(pattern: RegExp, read: (inner: string) => string): Part {
    const found = this.#match(pattern);
    if (found === undefined) throw this.#fault("a quote is not closed");
    return { kind: "text", text: read(found[1] ?? ""), isQuoted: true };
  }

  #literal(): Part | undefined {
    let text = "";
    for (;;) {
      const plain = this.#match(/[^\s`'"$(){};|&,<>@]+|[@<](?=[^\s'"(){}])|\$(?![\w({?^$])/y);
      if (plain !== undefined) text += plain[0];
      else if (this.#text[this.#at] === "`" && this.#peek(/`\r?\n/y) === undefined) text += this.#escape();
      else break;
    }
    return text === "" ? undefined : { kind: "text", text, isQuoted: false };
  }

  #escape(): string {
    const char = this.#text[this.#at + 1] ?? "";
    this.#at += 2;
    return { n: "\n", r: "\r", t: "\t", "0": "\0" }[char] ?? char;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    if (found !== undefined) this.#at += found[0].length;
    return found;
  }

  #skip(pattern: RegExp): boolean {
    return this.#match(pattern) !== undefined;
  }

  #peek(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0];
  }

  #fault(what: string): Unreadable {
    return new Unreadable(`Hookline cannot read this PowerShell: ${what}, at character ${this.#at + 1}`);
  }
}
