import { readFileSync, statSync } from "node:fs";
import { HookError, type HookErrorDetails } from "@hookline/core";
import type { OptionKind, SinkDefinition } from "@hookline/core/internal/sinks";
import type { SecretText } from "./config.js";

const MAX_BYTES = 64 * 1_024;

/** The text, from the place that the file names. Throws `HL_SECRET_MISSING`, never with the secret in the message. */
export function readSecret(given: SecretText, key: string): string {
  if (typeof given === "string") return given;
  if ("env" in given) return readVariable(given.env, key);
  return readSecretFile(given.file, key);
}

/** The options of a table with its secrets in place. Throws `HL_SECRET_MISSING`. */
export function readOptions(
  known: SinkDefinition["options"],
  options: { readonly [key: string]: unknown },
): { readonly [key: string]: unknown } {
  return Object.fromEntries(Object.entries(options).map(([key, value]) => [key, withSecrets(known[key]?.kind, key, value)]));
}

function withSecrets(kind: OptionKind | undefined, key: string, value: unknown): unknown {
  if (kind === "address" || kind === "secret") return readSecret(value as SecretText, key);
  if (kind === "secrets") return [value as SecretText].flat().map((one) => readSecret(one, key));
  if (kind !== "headers") return value;
  const headers = Object.entries(value as { readonly [name: string]: SecretText });
  return Object.fromEntries(headers.map(([name, one]) => [name, readSecret(one, `${key}.${name}`)]));
}

function readVariable(name: string, key: string): string {
  const value = process.env[name];
  if (value !== undefined && value !== "") return value;
  throw missing(`"${key}" comes from the environment variable ${name}, which is not set in the hub's environment.`, {
    fix: "Set it and start the hub again.",
  });
}

function readSecretFile(path: string, key: string): string {
  let text: string;
  try {
    const stat = statSync(path);
    if (!stat.isFile() || stat.size > MAX_BYTES) throw new Error("it is not a regular file of at most 64 KiB");
    text = readFileSync(path, "utf8").replace(/\r?\n$/, "");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw missing(`"${key}" comes from the file "${path}", which cannot be read: ${reason}.`, { cause });
  }
  if (text === "") throw missing(`"${key}" comes from the file "${path}", which is empty.`);
  return text;
}

function missing(message: string, details: Pick<HookErrorDetails, "fix" | "cause"> = {}): HookError {
  return new HookError("HL_SECRET_MISSING", message, details);
}
