import type { HookEvent, Outcome, PlainAnswer } from "@hookline/core";
import type { DialectName } from "../../../config/config.js";

/** The output of a command that ended by itself. */
export interface CommandOutput {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a handler may answer; `undefined` means no opinion. */
export type CommandAnswer = boolean | PlainAnswer | readonly (Outcome | PlainAnswer)[] | undefined;

/** A dialect for talking to a command, as pure functions: the event out, the verdict in. */
export interface Dialect {
  readonly name: DialectName;
  /** The document for stdin. */
  write(event: HookEvent): { readonly [key: string]: unknown };
  /** The environment variables of this dialect, beside the document. */
  variables?(event: HookEvent): { readonly [name: string]: string | undefined };
  /** Whether an answer has a key of this dialect that says something. Without one, a closed guard has not answered. */
  speaks(document: { readonly [key: string]: unknown }): boolean;
  /** Throws a HookError whose `failure` is the cause. */
  read(event: HookEvent, output: CommandOutput): CommandAnswer;
}
