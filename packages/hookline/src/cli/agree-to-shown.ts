import { requireShown } from "../hub/policy/shown.js";
import { CliError } from "./cli-error.js";
import { EXIT } from "./exit-codes.js";
import { text } from "./option-values.js";
import { askFor } from "./prompt.js";
import type { Terminal } from "./terminal.js";

export interface DigestOption {
  readonly digest?: string;
}

/** The option of every command that takes what it shows into force. */
export const digestOption = ["--digest <digest>", "accept what was shown with this digest, without being asked", text] as const;

/** What a command has just shown. */
export interface Shown {
  readonly name: string;
  readonly digest: string;
  /** Such as `Put this into force?` */
  readonly question: string;
  /** The command that shows it and accepts it. */
  readonly command: string;
}

/**
 * Whether the user accepts what was just shown: a person says so at the terminal, or names the digest that an earlier run has shown. Throws
 * `HL_NOT_SHOWN` for another digest, and without a terminal if there is none.
 */
export async function agreeToShown(terminal: Terminal, { name, digest, question, command }: Shown, given?: string): Promise<boolean> {
  const run = `${command} --digest ${digest}`;
  if (given !== undefined) {
    requireShown(given, digest, { name, now: "It is shown above as it is now.", fix: { run } });
    return true;
  }
  if (terminal.isInteractive && terminal.stdin.isTTY) return askFor(terminal, question, run);
  throw new CliError(`${question} There is no terminal to ask at, so nothing was accepted. Its digest says what was shown: ${digest}`, {
    exitCode: EXIT.usage,
    fix: { run },
  });
}
