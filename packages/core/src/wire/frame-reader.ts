import { type LineFault, LineReader } from "./line-reader.js";

/** How frames are told apart: by line, or by a `Content-Length` header before each. */
export type Framing = "newline" | "content-length";
/** `bad_header` cannot be recovered from: where the next frame begins is unknown. */
export type FrameFault = LineFault | "not_a_frame" | "bad_header";

/** The longest frame that a host sends to an extension. An attached agent's call of 4 MiB is in the event twice: translated, and as it came. */
export const MAX_EVENT_FRAME_BYTES = 12 * 1024 * 1024;

export interface FrameReaderOptions {
  /** Told from the first frame when it is missing. */
  readonly framing?: Framing | undefined;
  readonly maxBytes: number;
  readonly onFrame: (text: string) => void;
  readonly onFault: (fault: FrameFault) => void;
  readonly onDetected?: (framing: Framing) => void;
}

const MAX_HEADER_BYTES = 1024;
const HEADER = /^content-length[ \t]*:/i;

/** Cuts what a process writes into frames. */
export class FrameReader {
  readonly #options: FrameReaderOptions;
  readonly #lines: LineReader;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #framing: Framing | undefined;
  #held: Buffer = Buffer.alloc(0);
  /** Of the frame whose header has been read. */
  #bodyBytes: number | undefined;
  #isLost = false;

  constructor(options: FrameReaderOptions) {
    this.#options = options;
    this.#framing = options.framing;
    this.#lines = new LineReader({ maxBytes: options.maxBytes, onLine: options.onFrame, onFault: options.onFault });
  }

  push(chunk: Buffer): void {
    if (this.#isLost) return;
    if (this.#framing === "newline") return this.#lines.push(chunk);
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    if (this.#framing === undefined) this.#detect();
    if (this.#framing === "content-length") this.#readFrames();
  }

  /** The stream is over: what is left is half a frame. */
  end(): void {
    if (this.#framing === "newline") this.#lines.end();
    else if (this.#held.length > 0 && !this.#isLost) this.#options.onFault("truncated");
    this.#held = Buffer.alloc(0);
  }

  /** Many a program greets before it speaks: such lines are faults, and the first that is a frame or a header decides. */
  #detect(): void {
    for (let end = this.#held.indexOf(10); end >= 0; end = this.#held.indexOf(10)) {
      const line = this.#held.subarray(0, Math.min(end, 64)).toString("latin1").trimStart();
      if (HEADER.test(line)) return this.#decideOn("content-length");
      if (line.startsWith("{")) return this.#decideOn("newline");
      this.#held = this.#held.subarray(end + 1);
      if (line !== "") this.#options.onFault("not_a_frame");
    }
    if (this.#held.length <= this.#options.maxBytes) return;
    this.#held = Buffer.alloc(0);
    this.#options.onFault("oversize");
  }

  #decideOn(framing: Framing): void {
    this.#framing = framing;
    this.#options.onDetected?.(framing);
    if (framing !== "newline") return;
    const held = this.#held;
    this.#held = Buffer.alloc(0);
    this.#lines.push(held);
  }

  #readFrames(): void {
    while (!this.#isLost && this.#held.length > 0) {
      if (this.#bodyBytes === undefined && !this.#readHeader()) return;
      const size = this.#bodyBytes;
      if (size === undefined || this.#held.length < size) return;
      const body = this.#held.subarray(0, size);
      this.#held = this.#held.subarray(size);
      this.#bodyBytes = undefined;
      this.#decode(body);
    }
  }

  /** False while the header is not whole. */
  #readHeader(): boolean {
    const end = this.#held.indexOf("\r\n\r\n");
    if (end < 0 && this.#held.length <= MAX_HEADER_BYTES) return false;
    const header = this.#held.subarray(0, Math.max(end, 0)).toString("latin1");
    const [, digits] = /^content-length[ \t]*:[ \t]*(\d{1,10})[ \t]*$/im.exec(header) ?? [];
    if (end < 0 || end > MAX_HEADER_BYTES || digits === undefined) return this.#lose("bad_header");
    if (Number(digits) > this.#options.maxBytes) return this.#lose("oversize");
    this.#held = this.#held.subarray(end + 4);
    this.#bodyBytes = Number(digits);
    return true;
  }

  #lose(fault: FrameFault): false {
    this.#isLost = true;
    this.#held = Buffer.alloc(0);
    this.#options.onFault(fault);
    if (fault !== "bad_header") this.#options.onFault("bad_header");
    return false;
  }

  #decode(body: Buffer): void {
    let text: string;
    try {
      text = this.#decoder.decode(body);
    } catch {
      return this.#options.onFault("not_utf8");
    }
    this.#options.onFrame(text);
  }
}

export function encodeFrame(text: string, framing: Framing): string {
  return framing === "newline" ? `${text}\n` : `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}
