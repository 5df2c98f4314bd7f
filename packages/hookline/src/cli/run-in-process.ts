import { run } from "./run.js";
import { createTerminal } from "./terminal.js";

/** Runs this process's command line and exits. */
export async function runInProcess(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", endOnClosedPipe);
  const code = await run(process.argv.slice(2), createTerminal(process));
  // Output to a pipe may not be flushed yet.
  process.stdout.write("", () => process.exit(code));
}

// A reader that closes the pipe, such as `| head`, is not a failure.
function endOnClosedPipe(error: NodeJS.ErrnoException): void {
  process.exit(error.code === "EPIPE" ? 0 : 1);
}
