import { EXIT } from "./exit-codes.js";
import { reportError } from "./report-error.js";
import { createTerminal, type Terminal } from "./terminal.js";

/** Runs this process's command line and exits. */
export async function runInProcess(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", endOnClosedPipe);
  if (process.env.npm_lifecycle_event !== undefined) (await import("./end-with-npm.js")).endWithNpm();
  const code = await run(process.argv.slice(2), createTerminal(process));
  // Output to a pipe may not be flushed yet.
  process.stdout.write("", () => process.exit(code));
}

// A reader that closes the pipe, such as `| head`, is not a failure.
function endOnClosedPipe(error: NodeJS.ErrnoException): void {
  process.exit(error.code === "EPIPE" ? 0 : 1);
}

/** Runs one command line and returns its exit code. Never throws. */
export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    if (isPlainStatus(argv)) return await runStatus(terminal, argv.length > 1);
    const { parseCommandLine } = await import("./parse-command-line.js");
    return await parseCommandLine(argv, terminal);
  } catch (error) {
    if (isUsageError(error)) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    return reportError(error, terminal);
  }
}

// Prompts and scripts call it often, and loading the parser takes half of a start: 16 of 30 ms.
function isPlainStatus([name, option, ...more]: readonly string[]): boolean {
  return name === "status" && (option === undefined || option === "--json") && more.length === 0;
}

async function runStatus(terminal: Terminal, isJson: boolean): Promise<number> {
  const { command } = await import("./commands/status.js");
  return command.run(terminal, { json: isJson }, []);
}

/** The error that the parser throws after it has reported a mistake or shown help. */
function isUsageError(error: unknown): error is { readonly exitCode: number } {
  return String((error as { readonly code?: unknown } | null)?.code).startsWith("commander.");
}
