import { createInterface, type Interface } from "node:readline";
import { askKey } from "./ask-key.js";
import { CliError } from "./cli-error.js";
import { EXIT } from "./exit-codes.js";
import type { Terminal } from "./terminal.js";

/** Asks the user one question after the other. */
export interface Prompt {
  /** The line that the user typed; `undefined` after Ctrl-D, Ctrl-C or the end of the input. */
  ask(question: string): Promise<string | undefined>;
  /** Whether Ctrl-C ended it. */
  readonly isInterrupted: boolean;
  close(): void;
}

/** One reader for all questions. Text typed before a question was shown does not answer it: users consent to what they have seen. */
export function createPrompt(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Prompt {
  let reader: Interface | undefined;
  let isOver = false;
  let isInterrupted = false;
  let answer: ((line: string | undefined) => void) | undefined;

  function settle(line: string | undefined): void {
    const waiting = answer;
    answer = undefined;
    waiting?.(line);
  }

  function open(): Interface {
    const opened = createInterface({ input, output, prompt: "" });
    opened.on("line", settle);
    opened.on("SIGINT", () => {
      isInterrupted = true;
      opened.close();
    });
    opened.on("close", () => {
      // The shell's prompt starts on a new line.
      if (answer !== undefined) output.write("\n");
      isOver = true;
      settle(undefined);
    });
    return opened;
  }

  return {
    async ask(question) {
      if (isOver) return undefined;
      reader ??= open();
      await dropTyped(reader);
      if (isOver) return undefined;
      reader.setPrompt(question);
      reader.prompt();
      return new Promise((resolve) => {
        answer = resolve;
      });
    },
    get isInterrupted() {
      return isInterrupted;
    },
    close: () => reader?.close(),
  };
}

/** Buffered input arrives in the next turns of the event loop. Whole lines are dropped because no question waits; the start of a line is dropped here. */
async function dropTyped(reader: Interface): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  if (reader.terminal && reader.line !== "") reader.write(null, { ctrl: true, name: "u" });
}

/** Asks for a yes. Without a terminal, throws with the option that answers the question. */
export async function askFor(terminal: Terminal, question: string, option: string): Promise<boolean> {
  if (!terminal.isInteractive || !terminal.stdin.isTTY)
    throw new CliError(`${question} There is no terminal to ask at.`, { exitCode: EXIT.usage, fix: `Answer with ${option}.` });
  const key = await askKey(terminal, `${question} [y/N] `);
  if (key?.toLowerCase() === "y") return true;
  terminal.say("Nothing was changed.");
  return false;
}
