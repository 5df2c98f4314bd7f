/** What is wrong with a line. */
export type LineFault = "oversize" | "not_utf8" | "truncated";

export interface LineReaderOptions {
  /** A longer line is skipped to its end. */
  readonly maxBytes: number;
  readonly onLine: (line: string) => void;
  /** `head`: how a line began that is too long or not UTF-8, a character for each byte. */
  readonly onFault: (fault: LineFault, head: string) => void;
}

const NEWLINE = 10;
const MIN_HELD = 1024;
const HEAD_BYTES = 1024;

/** Cuts a stream of bytes into lines of UTF-8. Anything else is reported and left out, and the next line is read. */
export class LineReader {
  readonly #options: LineReaderOptions;
  // A BOM is kept, so that it is seen as the rubbish it is.
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  // One buffer that grows, not a list of chunks: a peer that sends single bytes would cost a hundred times what it sent.
  #held = Buffer.alloc(0);
  #length = 0;
  #isSkipping = false;

  constructor(options: LineReaderOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#finish(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start));
  }

  /** The stream is over: what is left is half a line. */
  end(): void {
    if (this.#length > 0) this.#options.onFault("truncated", "");
    this.#reset();
  }

  #finish(part: Buffer): void {
    if (this.#length === 0 && !this.#isSkipping && part.length <= this.#options.maxBytes) return this.#decode(part);
    this.#hold(part);
    const line = this.#held.subarray(0, this.#length);
    const wasSkipping = this.#isSkipping;
    this.#reset();
    if (!wasSkipping) this.#decode(line);
  }

  #hold(part: Buffer): void {
    if (this.#isSkipping) return;
    const length = this.#length + part.length;
    if (length > this.#options.maxBytes) {
      const head = headOf(Buffer.concat([this.#held.subarray(0, Math.min(this.#length, HEAD_BYTES)), part.subarray(0, HEAD_BYTES)]));
      this.#reset();
      this.#isSkipping = true;
      return this.#options.onFault("oversize", head);
    }
    if (length > this.#held.length) this.#grow(length);
    part.copy(this.#held, this.#length);
    this.#length = length;
  }

  #grow(length: number): void {
    const larger = Buffer.allocUnsafe(Math.max(MIN_HELD, length * 2));
    this.#held.copy(larger, 0, 0, this.#length);
    this.#held = larger;
  }

  #reset(): void {
    this.#held = Buffer.alloc(0);
    this.#length = 0;
    this.#isSkipping = false;
  }

  #decode(bytes: Buffer): void {
    let line: string;
    try {
      line = this.#decoder.decode(bytes);
    } catch {
      return this.#options.onFault("not_utf8", headOf(bytes));
    }
    if (line !== "" && line !== "\r") this.#options.onLine(line);
  }
}

function headOf(bytes: Buffer): string {
  return bytes.toString("latin1", 0, HEAD_BYTES);
}
