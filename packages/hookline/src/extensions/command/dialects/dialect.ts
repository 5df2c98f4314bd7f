import type { HookEvent, Outcome, PlainAnswer } from "@hookline/core";
import type { DialectName } from "../../../config/config.js";

/** What a command left behind when it ended by itself. */
export interface CommandOutput {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a handler may answer; `undefined` says nothing. */
export type CommandAnswer = boolean | PlainAnswer | readonly (Outcome | PlainAnswer)[] | undefined;

/** One way to speak with a command: pure functions, the event out and the verdict in. */
export interface Dialect {
  readonly name: DialectName;
  /** The document for stdin. */
  write(event: HookEvent): { readonly [key: string]: unknown };
  /** Variables this dialect promises its commands, beside the document. */
  variables?(event: HookEvent): { readonly [name: string]: string | undefined };
  /** Throws a HookError whose `failure` is the cause. */
  read(event: HookEvent, output: CommandOutput): CommandAnswer;
}
