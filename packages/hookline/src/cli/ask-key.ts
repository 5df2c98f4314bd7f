import type { Terminal } from "./terminal.js";

/** For what was typed before the question was shown: users consent to what they have seen. */
const DROP_MS = 50;
/** Ctrl-C and Ctrl-D. */
const STOPS = ["\u0003", "\u0004"];

/**
 * Shows a question and waits for one key. Undefined after Ctrl-C, Ctrl-D or the end of the input, and without a terminal, where nothing is asked. Text
 * typed before the question does not answer it.
 */
export async function askKey({ stdin, isInteractive }: Terminal, question: string): Promise<string | undefined> {
  if (!isInteractive || !stdin.isTTY) return undefined;
  const keys = listen(stdin);
  try {
    await new Promise((resolve) => setTimeout(resolve, DROP_MS));
    const key = keys.next();
    process.stderr.write(question);
    const typed = await key;
    process.stderr.write("\n");
    return typed === undefined || STOPS.some((key) => typed.includes(key)) ? undefined : typed;
  } finally {
    keys.close();
  }
}

/** Without raw mode, a key would need Enter, and Ctrl-C would end this process before it could put the terminal back. */
function listen(stdin: NodeJS.ReadStream) {
  let settle: ((typed: string | undefined) => void) | undefined;
  let isOver = false;
  const hear = (chunk: Buffer): void => settle?.(chunk.toString());
  const end = (): void => {
    isOver = true;
    settle?.(undefined);
  };
  stdin.setRawMode(true);
  stdin.on("data", hear).on("end", end).on("close", end).on("error", end);
  return {
    next: () =>
      new Promise<string | undefined>((resolve) => {
        settle = resolve;
        if (isOver) resolve(undefined);
      }),
    close() {
      stdin.off("data", hear).off("end", end).off("close", end).off("error", end);
      try {
        stdin.setRawMode(false);
      } catch {
        // The terminal is gone.
      }
      stdin.pause();
    },
  };
}
