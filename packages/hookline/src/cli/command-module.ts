import type { Command } from "commander";
import type { Terminal } from "./terminal.js";

/** A command: its options and what it does. Loaded when it is called. */
export interface CommandModule<Options = never> {
  /** What its first argument names, where it names an action. */
  readonly actions?: { readonly [name: string]: unknown };
  /** Adds arguments, options and an example. */
  define(command: Command): void;
  /** Gives the exit code. */
  run(terminal: Terminal, options: Options, args: readonly string[]): Promise<number>;
}

/** How each `--help` ends. */
export function examples(...lines: readonly string[]): string {
  return `\nExample${lines.length > 1 ? "s" : ""}:\n${lines.map((line) => `  $ ${line}`).join("\n")}\n`;
}
