import { createInterface, type Interface } from "node:readline";

/** Asks a person, one question after the other. */
export interface Prompt {
  /** The line that was typed; nothing once there is no more input, be it Ctrl-D, Ctrl-C or the end of it. */
  ask(question: string): Promise<string | undefined>;
  close(): void;
}

/** One reader for all questions. What was typed before a question was there is no answer to it: nobody consents to what he has not seen. */
export function createPrompt(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Prompt {
  let reader: Interface | undefined;
  let isOver = false;
  let answer: ((line: string | undefined) => void) | undefined;

  function settle(line: string | undefined): void {
    const waiting = answer;
    answer = undefined;
    waiting?.(line);
  }

  function open(): Interface {
    const opened = createInterface({ input, output });
    opened.on("line", settle);
    opened.on("SIGINT", () => opened.close());
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
      reader.setPrompt(question);
      reader.prompt();
      return new Promise((resolve) => {
        answer = resolve;
      });
    },
    close: () => reader?.close(),
  };
}
