import type { CliHome, CliRun } from "./cli-home.ts";

/** Runs a command that shows something and accepts it, as a script does: once to see it, and again with the digest of what it has shown. */
export async function runAsShown(home: Pick<CliHome, "run">, ...args: readonly string[]): Promise<CliRun> {
  const shown = await home.run(...args);
  const [, digest] = /--digest ([0-9a-f]{64})\b/.exec(shown.err) ?? [];
  return digest === undefined ? shown : home.run(...args, "--digest", digest);
}
