import type { Terminal } from "./terminal.js";

const EVERY_MS = 200;

/** One line that is written again and again, on a terminal; otherwise nothing. */
export interface Progress {
  show(text: string): void;
  /** Removes the line. */
  end(): void;
}

export function createProgress(
  { isInteractive }: Pick<Terminal, "isInteractive">,
  stream: Pick<NodeJS.WriteStream, "write"> = process.stderr,
): Progress {
  let shownAt = 0;
  return {
    show(text) {
      const now = Date.now();
      if (!isInteractive || now - shownAt < EVERY_MS) return;
      shownAt = now;
      stream.write(`\r\x1b[K${text}`);
    },
    end() {
      if (shownAt > 0) stream.write("\r\x1b[K");
    },
  };
}
