import { HookError } from "@hookline/core";
import { allSinks, type OptionKind } from "@hookline/core/internal/sinks";
import type { Sink } from "@hookline/core/sinks";
import type { SecretText, SinkConfig } from "../../config/config.js";
import { readSecret } from "../../config/read-secret.js";

/** Opens the sink that a `[[sink]]` table describes. Throws what the sink itself throws, or `HL_SECRET_MISSING`. */
export function createSink({ name, type, options }: SinkConfig): Sink {
  const definition = allSinks.find((known) => known.type === type);
  if (definition === undefined) throw new HookError("HL_BAD_OPTION", `There is no sink of type "${type}".`);
  const read = Object.entries(options).map(([key, value]) => [key, withSecrets(definition.options[key]?.kind, key, value)]);
  return definition.create({ name, ...Object.fromEntries(read) });
}

function withSecrets(kind: OptionKind | undefined, key: string, value: unknown): unknown {
  if (kind === "address") return readSecret(value as SecretText, key);
  if (kind === "secrets") return [value as SecretText].flat().map((one) => readSecret(one, key));
  if (kind !== "headers") return value;
  const headers = Object.entries(value as { readonly [name: string]: SecretText });
  return Object.fromEntries(headers.map(([name, one]) => [name, readSecret(one, `${key}.${name}`)]));
}

/** Closes a sink, and waits for it no longer than so. What it throws changes nothing: everything is counted by then. */
export function closeWithin(sink: Sink, limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, limitMs);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    Promise.resolve()
      .then(() => sink.close())
      .then(done, done);
  });
}
