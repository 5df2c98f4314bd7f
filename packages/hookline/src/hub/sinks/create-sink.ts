import { HookError } from "@hookline/core";
import { allSinks } from "@hookline/core/internal/sinks";
import type { Sink } from "@hookline/core/sinks";
import type { SinkConfig } from "../../config/config.js";
import { readOptions } from "../../config/read-secret.js";
import { importOptional } from "../lifecycle/optional-package.js";

/** What the package of a sink exports. */
interface SinkModule {
  /** Equal to that of the hub. */
  readonly version: string;
  createSink(options: object): Sink;
}

/** Opens the sink that a `[[sink]]` table describes. Throws what the sink itself throws, `HL_SECRET_MISSING`, or what says which package it needs. */
export async function createSink({ name, type, options }: SinkConfig): Promise<Sink> {
  const definition = allSinks.find((known) => known.type === type);
  if (definition === undefined) throw new HookError("HL_BAD_OPTION", `There is no sink of type "${type}".`);
  const given = { name, ...readOptions(definition.options, options) };
  if (definition.package === undefined) return definition.create(given);
  const wanted = { name: definition.package, code: definition.missing, user: `A sink of type "${type}"` };
  return (await importOptional<SinkModule>(wanted, definition.package)).createSink(given);
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
