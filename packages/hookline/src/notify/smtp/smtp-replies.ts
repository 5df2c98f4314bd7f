import type { Socket } from "node:net";

interface Reply {
  readonly code: number;
  /** Its lines without the code. */
  readonly text: string;
}

const MAX_CHARS = 64 * 1024;

/** Reads the replies of an SMTP server, of which each may have several lines. */
export class SmtpReplies {
  readonly #socket: Socket;
  #text = "";
  #error: Error | undefined;
  #wake = (): void => {};

  constructor(socket: Socket, signal: AbortSignal) {
    this.#socket = socket;
    socket.setEncoding("utf8");
    socket.on("data", this.#take);
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("it closed the connection")));
    const onAbort = (): void => {
      this.#fail(new Error("it took too long"));
      socket.destroy();
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  }

  async next(): Promise<Reply> {
    for (;;) {
      const reply = this.#read();
      if (reply !== undefined) return reply;
      if (this.#error !== undefined) throw this.#error;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  stop(): void {
    this.#socket.off("data", this.#take);
  }

  readonly #take = (chunk: string): void => {
    this.#text += chunk;
    if (this.#text.length > MAX_CHARS) this.#fail(new Error("its answer has no end"));
    this.#wake();
  };

  #fail(error: Error): void {
    this.#error ??= error;
    this.#wake();
  }

  #read(): Reply | undefined {
    const [whole, code = ""] = /^(?:\d{3}-[^\n]*\n)*(\d{3})(?: [^\n]*)?\r?\n/.exec(this.#text) ?? [];
    if (whole === undefined) return undefined;
    this.#text = this.#text.slice(whole.length);
    const lines = whole.trimEnd().split(/\r?\n/);
    return { code: Number(code), text: lines.map((line) => line.slice(4)).join("\n") };
  }
}
