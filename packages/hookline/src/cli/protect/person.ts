import { closeSync, openSync, writeSync } from "node:fs";
import { ReadStream } from "node:tty";
import { CliError } from "../cli-error.js";

/** The person at the terminal. */
export interface Person {
  tell(text: string): void;
  /** What was typed, which the terminal does not show. Throws after Ctrl-C or Ctrl-D. */
  askSecret(question: string): Promise<string>;
  close(): void;
}

const IS_WINDOWS = process.platform === "win32";
const TERMINAL = IS_WINDOWS ? "CONIN$" : "/dev/tty";
/** Keys that were pressed before the question was shown do not answer it. */
const SETTLE_MS = 50;

/**
 * The terminal itself, whatever standard input and output are: a secret in a pipe would come from a program. Throws if this process has no
 * terminal. `way`: what to do then.
 */
export function openPerson(way: string): Person {
  const fd = openTerminal();
  if (fd === undefined) throw new CliError("This needs a person at a terminal, and this process has no terminal.", { fix: way });
  // The stream closes its own descriptor, and does so later.
  const input = new ReadStream(openSync(TERMINAL, "r+"));
  return {
    tell: (text) => write(fd, `${text}\n`),
    askSecret: (question) => readSecret(input, fd, question),
    close() {
      input.destroy();
      closeSync(fd);
    },
  };
}

function openTerminal(): number | undefined {
  try {
    return openSync(TERMINAL, "r+");
  } catch {
    return undefined;
  }
}

function write(fd: number, text: string): void {
  if (IS_WINDOWS) process.stderr.write(text);
  else writeSync(fd, text);
}

async function readSecret(input: ReadStream, fd: number, question: string): Promise<string> {
  input.setRawMode(true);
  input.setEncoding("utf8");
  input.resume();
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  write(fd, question);
  try {
    return await new Promise<string>((resolve, reject) => {
      let typed: readonly string[] = [];
      input.on("data", (keys: string) => {
        for (const key of keys) {
          if (key === "\r" || key === "\n") return resolve(typed.join(""));
          if (key === "\u0003" || key === "\u0004") return reject(new CliError("Cancelled. Nothing was done."));
          if (key === "\u007f" || key === "\b") typed = typed.slice(0, -1);
          else if (key === "\u0015") typed = [];
          else if (key >= " ") typed = [...typed, key];
        }
      });
      input.on("error", reject).on("end", () => reject(new CliError("The terminal was closed. Nothing was done.")));
    });
  } finally {
    input.removeAllListeners("data").removeAllListeners("error").removeAllListeners("end");
    input.pause();
    input.setRawMode(false);
    write(fd, "\n");
  }
}
