import { HookError } from "@hookline/core/internal/machine";
import { inertLines } from "@hookline/core/internal/text";
import { CliError } from "./cli-error.js";
import { EXIT } from "./exit-codes.js";
import type { Terminal } from "./terminal.js";

const MAX_LENGTH = 2_000;

/** Prints what went wrong, with a stack only in debug mode, and returns the exit code. */
export function reportError(error: unknown, terminal: Terminal): number {
  terminal.say(`${terminal.paintTalk("red", "hookline:")} ${shortened(error instanceof Error ? error.message : String(error))}`);
  const fix = isExpected(error) ? error.fix : undefined;
  if (typeof fix === "string") terminal.say(shortened(fix));
  else if (fix !== undefined) terminal.say(`Run: ${terminal.paintTalk("bold", shortened(fix.run))}`);
  if (isDebugged(terminal.env)) terminal.say(inertLines(stackOf(error)));
  else if (!isExpected(error)) terminal.say("Run it again with HOOKLINE_DEBUG=1 to see where this comes from.");
  return error instanceof CliError ? error.exitCode : EXIT.failed;
}

/** Text from outside, cut to a readable length. */
export function shortened(text: string, length = MAX_LENGTH): string {
  return inertLines(text.length > length ? `${text.slice(0, length)}…` : text);
}

/** An optional package has its own copy of the core, so its errors have another class. */
function isExpected(error: unknown): error is Pick<HookError, "fix"> {
  if (error instanceof CliError || error instanceof HookError) return true;
  return error instanceof Error && error.name === "HookError" && "fix" in error;
}

function isDebugged({ HOOKLINE_DEBUG }: NodeJS.ProcessEnv): boolean {
  return HOOKLINE_DEBUG !== undefined && HOOKLINE_DEBUG !== "" && HOOKLINE_DEBUG !== "0";
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? String(error.stack) : `${error.stack}\nCaused by: ${stackOf(error.cause)}`;
}
