import type { Size } from "./top-lines.js";

/** The whole terminal, until it is closed. */
export interface Screen {
  readonly size: Size;
  draw(lines: readonly string[]): void;
  /** Gives the terminal back meanwhile, for questions on it. */
  during<T>(act: () => Promise<T>): Promise<T>;
  close(): void;
}

interface Listeners {
  readonly onKeys: (keys: string) => void;
  readonly onResize: () => void;
  /** The terminal is gone. */
  readonly onEnd: () => void;
}

// Another screen, no cursor, and no wrapping: a character that is wider than we think must not move the lines below it.
const ENTER = "\u001b[?1049h\u001b[?25l\u001b[?7l";
const LEAVE = "\u001b[?7h\u001b[?25h\u001b[?1049l";
const USUAL: Size = { columns: 80, rows: 24 };

/** Takes the terminal. It is given back by `close`, and also when the process exits without it. */
export function openScreen(stdin: NodeJS.ReadStream, stdout: NodeJS.WriteStream, { onKeys, onResize, onEnd }: Listeners): Screen {
  let isOurs = false;
  let isClosed = false;
  const hear = (chunk: Buffer): void => onKeys(chunk.toString());
  const take = (): void => {
    // A signal may have ended the command during a question.
    if (isClosed) return;
    isOurs = true;
    stdout.write(ENTER);
    stdin.setRawMode(true);
    stdin.on("data", hear).resume();
  };
  const giveBack = (): void => {
    if (!isOurs) return;
    isOurs = false;
    stdin.off("data", hear).pause();
    stdout.write(LEAVE);
    try {
      stdin.setRawMode(false);
    } catch {
      // The terminal is gone.
    }
  };
  take();
  stdin.on("end", onEnd).on("close", onEnd).on("error", onEnd);
  stdout.on("resize", onResize);
  process.on("exit", giveBack);
  return {
    get size() {
      return { columns: stdout.columns || USUAL.columns, rows: stdout.rows || USUAL.rows };
    },
    draw(lines) {
      if (isOurs) stdout.write(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join("\r\n")}\u001b[J`);
    },
    async during(act) {
      giveBack();
      try {
        return await act();
      } finally {
        take();
      }
    },
    close() {
      isClosed = true;
      giveBack();
      stdin.off("end", onEnd).off("close", onEnd).off("error", onEnd);
      stdout.off("resize", onResize);
      process.off("exit", giveBack);
    },
  };
}
