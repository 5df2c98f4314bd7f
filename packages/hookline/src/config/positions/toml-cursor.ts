import { parse } from "smol-toml";

export interface TomlKey {
  readonly name: string;
  readonly offset: number;
}

/** A position in TOML text that moves over the elements of its grammar. */
export class TomlCursor {
  offset = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.offset >= this.#text.length;
  }

  peek(ahead = 0): string {
    return this.#text[this.offset + ahead] ?? "";
  }

  skipSpaces(): void {
    this.#skip(/[ \t]*/y);
  }

  /** White space, line ends, comments, and a byte order mark. */
  skipBlank(): void {
    this.#skip(/(?:[ \t\r\n\uFEFF]|#[^\n]*)*/y);
  }

  skipBare(): void {
    this.#skip(/[^,\]}#\r\n]*/y);
  }

  skipPast(mark: string, count: number): void {
    this.skipSpaces();
    for (let done = 0; done < count && this.peek() === mark; done++) this.offset++;
  }

  skipString(): void {
    const quote = this.peek();
    if (this.peek(1) === quote && this.peek(2) === quote) return this.#skipLongString(quote);
    this.#skip(quote === '"' ? /"(?:[^"\\\n]|\\.)*"?/y : /'[^'\n]*'?/y);
  }

  /** `a."b.c".d`: each key with its position. */
  readKeys(): TomlKey[] {
    const keys: TomlKey[] = [];
    for (;;) {
      this.skipSpaces();
      const offset = this.offset;
      if (/["']/.test(this.peek())) this.skipString();
      else this.#skip(/[^\s.=\]#"']*/y);
      if (this.offset === offset) return keys;
      keys.push({ name: nameOf(this.#text.slice(offset, this.offset)), offset });
      this.skipSpaces();
      if (this.peek() !== ".") return keys;
      this.offset++;
    }
  }

  /** Up to two quotes may precede the closing three. */
  #skipLongString(quote: string): void {
    this.offset += 3;
    while (!this.isAtEnd && !this.#text.startsWith(quote.repeat(3), this.offset)) {
      this.offset += quote === '"' && this.peek() === "\\" ? 2 : 1;
    }
    this.offset += 3;
    for (let more = 0; more < 2 && this.peek() === quote; more++) this.offset++;
  }

  #skip(piece: RegExp): void {
    piece.lastIndex = this.offset;
    this.offset += piece.exec(this.#text)?.[0].length ?? 0;
  }
}

// The parser itself unescapes a quoted key.
function nameOf(written: string): string {
  if (!/^["']/.test(written)) return written;
  try {
    return String(parse(`name = ${written}`).name);
  } catch {
    return written;
  }
}
