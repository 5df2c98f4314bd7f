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

const TICK_MS = 1_000;

/** Shows that something goes on, and for how long, while it does. */
export async function withProgress<T>(terminal: Pick<Terminal, "isInteractive">, what: string, act: () => Promise<T>): Promise<T> {
  const progress = createProgress(terminal);
  const start = Date.now();
  const timer = setInterval(() => progress.show(`${what} … ${Math.round((Date.now() - start) / 1_000)} s`), TICK_MS);
  try {
    return await act();
  } finally {
    clearInterval(timer);
    progress.end();
  }
}
