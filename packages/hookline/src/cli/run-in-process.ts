import { run } from "./run.js";
import { createTerminal } from "./terminal.js";

/** Runs the command line of this process and ends it. */
export async function runInProcess(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", endOnClosedPipe);
  const code = await run(process.argv.slice(2), createTerminal(process));
  // What was written to a pipe may still be on its way.
  process.stdout.write("", () => process.exit(code));
}

// Who reads has enough, as `| head` does: that is no failure.
function endOnClosedPipe(error: NodeJS.ErrnoException): void {
  process.exit(error.code === "EPIPE" ? 0 : 1);
}
