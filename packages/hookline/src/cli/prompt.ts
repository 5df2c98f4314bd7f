import { createInterface, type Interface } from "node:readline";

/** Asks a person, one question after the other. */
export interface Prompt {
  /** The line that was typed; nothing once there is no more input, be it Ctrl-D, Ctrl-C or the end of it. */
  ask(question: string): Promise<string | undefined>;
  /** Whether Ctrl-C has ended it. */
  readonly isInterrupted: boolean;
  close(): void;
}

/** One reader for all questions. What was typed before a question was there is not an answer to it: consent is to what was seen. */
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
      // The shell's next line begins on a line of its own.
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

/** What the terminal has kept arrives in the next turns of the event loop: whole lines are dropped for want of a question, the beginning of one here. */
async function dropTyped(reader: Interface): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  if (reader.terminal && reader.line !== "") reader.write(null, { ctrl: true, name: "u" });
}
