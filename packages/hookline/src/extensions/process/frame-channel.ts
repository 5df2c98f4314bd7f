import { encodeFrame, type FrameFault, FrameReader, type Framing } from "@hookline/core/internal/wire";
import type { Child } from "./spawn-child.js";

export interface FrameChannelOptions {
  /** If missing: lines, until the child answers with other framing. */
  readonly framing: Framing | undefined;
  readonly maxBytes: number;
  readonly onFrame: (text: string) => void;
  readonly onFault: (fault: FrameFault) => void;
}

/** Frames to and from a child's stdin and stdout. */
export class FrameChannel {
  readonly #stdin: Child["stdin"];
  readonly #reader: FrameReader;
  #framing: Framing;
  #outbox = "";
  #isFlushing = false;

  constructor({ stdin, stdout }: Child, options: FrameChannelOptions) {
    this.#stdin = stdin;
    this.#framing = options.framing ?? "newline";
    this.#reader = new FrameReader({
      ...options,
      onDetected: (framing) => {
        this.#framing = framing;
      },
    });
    stdout.on("data", (chunk: Buffer) => this.#reader.push(chunk));
  }

  /** Roughly the bytes that the child has not read yet. */
  get queuedBytes(): number {
    return this.#stdin.writableLength + this.#outbox.length;
  }

  /** All messages of one turn of the loop go out in one write: with many in progress, the writes are the cost. */
  send(text: string): void {
    this.#outbox += encodeFrame(text, this.#framing);
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    process.nextTick(() => this.#flush());
  }

  /** Closes the sending side. */
  closeInput(): void {
    this.#stdin.end();
  }

  /** Closes the receiving side. */
  ended(): void {
    this.#reader.end();
  }

  #flush(): void {
    const frames = this.#outbox;
    this.#outbox = "";
    this.#isFlushing = false;
    if (this.#stdin.writable) this.#stdin.write(frames);
  }
}
