import { errorText } from "@hookline/core/internal/machine";
import { CliError } from "./cli-error.js";
import { EXIT } from "./exit-codes.js";
import { readText } from "./option-values.js";
import type { Terminal } from "./terminal.js";

/** The object given with `--payload`: JSON, a file (`@path`) or stdin (`-`). */
export async function readPayload(given: string, { stdin }: Terminal, command: string): Promise<object> {
  const usage = (message: string, cause?: unknown) =>
    new CliError(message, { exitCode: EXIT.usage, fix: { run: `hookline ${command} --help` }, cause });
  const source = given === "-" ? "stdin" : given.startsWith("@") ? `"${given.slice(1)}"` : "--payload";
  const json = await readText(given, stdin).catch((cause: unknown) => {
    throw usage(`The payload cannot be read from ${source}: ${errorText(cause)}.`, cause);
  });
  let payload: unknown;
  try {
    payload = JSON.parse(json);
  } catch {
    // The parser's own message quotes the text, which may hold secrets.
    throw usage(`The payload in ${source} is not JSON.`);
  }
  if (typeof payload === "object" && payload !== null && !Array.isArray(payload)) return payload;
  throw usage(`The payload in ${source} must be a JSON object such as {"version":"1.2.3"}.`);
}
