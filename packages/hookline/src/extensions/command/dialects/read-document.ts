import { HookError } from "@hookline/core";
import type { CommandOutput } from "./dialect.js";

const MAX_DEPTH = 64;
const MAX_SHOWN = 200;

/** The JSON on stdout, or `undefined` if there is none. Text before, after or between is an error. */
export function readDocument(stdout: string): unknown {
  const text = stdout.trim();
  if (text === "") return undefined;
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (cause) {
    throw new HookError("HL_COMMAND_OUTPUT", `Its stdout is not one JSON document: it begins with ${quoted(text)}.`, {
      fix: "Log to stderr instead.",
      failure: "protocol_error",
      cause,
    });
  }
  if (isTooDeep(document)) throw wrongShape(`JSON nested deeper than ${MAX_DEPTH} levels`);
  return document;
}

export type JsonObject = { readonly [key: string]: unknown };

/** The same, for dialects in which only an object is an answer. */
export function readObject(stdout: string): JsonObject | undefined {
  const document = readDocument(stdout);
  if (document === undefined || isObject(document)) return document;
  throw wrongShape(Array.isArray(document) ? "a list" : document === null ? "null" : `a ${typeof document}`);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An answer that is JSON but not valid in the dialect. */
export function wrongShape(what: string): HookError {
  return new HookError("HL_COMMAND_OUTPUT", `It answered with ${what}, which is not valid in its dialect.`, { failure: "invalid_verdict" });
}

/** An exit code that means neither "answered" nor "denied". */
export function crashed({ exitCode, stderr }: CommandOutput): HookError {
  const said = stderr.trim();
  const [code, why, failure] = STARTING.has(exitCode)
    ? (["HL_COMMAND_SPAWN", "so what it names is missing or not executable", "spawn_error"] as const)
    : (["HL_COMMAND_FAILED", "which is not a verdict", "crash"] as const);
  const message = `It ended with exit code ${exitCode}, ${why}${said === "" ? "." : `: ${quoted(said)}`}`;
  return new HookError(code, message, { failure });
}

// The exit codes of a shell and `env` for a missing command and for one that is not executable.
const STARTING = new Set([126, 127]);

function quoted(text: string): string {
  return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}

/** Checks level by level, because recursion into a document this deep would overflow the stack. */
function isTooDeep(document: unknown): boolean {
  let level: unknown[] = [document];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : []));
  }
  return false;
}
