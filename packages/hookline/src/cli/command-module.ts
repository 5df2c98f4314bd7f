import type { Command } from "commander";
import type { Access } from "../hub/auth/access.js";
import type { Terminal } from "./terminal.js";

/** A command: its options and what it does. Loaded when it is called. */
export interface CommandModule<Options = object> {
  /** Adds arguments, options and an example. */
  define(command: Command): void;
  /** Returns the exit code. */
  run(terminal: Terminal, options: Options, args: readonly string[]): Promise<number>;
}

/** A command that consists of subcommands, such as `hookline hooks`. */
export interface CommandGroup {
  readonly subcommands: readonly ListedCommand[];
  /** The subcommand that runs when none is named. */
  readonly usual?: string;
  /** Adds an example. */
  define(command: Command): void;
}

/** An entry of a command list: its help text, and how to load it. */
export interface ListedCommand {
  readonly name: string;
  readonly summary: string;
  /** What it does to the guards; a command that does not say counts as operating. A group has it on its subcommands. */
  readonly access?: Access;
  /** The options that make a reading command operate. */
  readonly operatesWith?: readonly string[];
  /** The options with which an operating command only reads. */
  readonly readsWith?: readonly string[];
  /** It changes files itself. Under `hookline protect`, a person confirms it before it runs; the hub asks for what the hub does. */
  readonly changesFiles?: true;
  readonly load: () => Promise<{ readonly command: CommandModule | CommandGroup }>;
}

/** How each `--help` ends. */
export function examples(...lines: readonly string[]): string {
  return `\nExample${lines.length > 1 ? "s" : ""}:\n${lines.map((line) => `  $ ${line}`).join("\n")}\n`;
}
