import { createBus, type HookError } from "@hookline/core";
import { resolveEvent } from "@hookline/core/internal";
import { connectSink, createMemorySink, type Envelope } from "@hookline/core/sinks";
import { CliError } from "./cli-error.js";
import { EXIT } from "./exit-codes.js";

export interface EnvelopeParts {
  readonly event: string;
  readonly payload: object;
  readonly session: string | undefined;
  readonly source: string;
}

/** An event as an agent's own bus would send it: secrets hidden, and not longer than others are. */
export async function makeEnvelope({ event, payload, session, source }: EnvelopeParts): Promise<Envelope> {
  const name = canonicalName(event);
  const bus = createBus({ source, enabled: true });
  const memory = createMemorySink();
  const connection = connectSink(bus, memory);
  bus.emitSync(name, session === undefined ? payload : { ...payload, session: { id: session } });
  await connection.close();
  const [made] = memory.envelopes;
  if (made === undefined) throw new CliError(`The event "${event}" could not be made.`);
  return { ...made, hops: [made.source.instance] };
}

function canonicalName(event: string): string {
  try {
    return resolveEvent(event).name;
  } catch (error) {
    throw new CliError((error as HookError).message, { exitCode: EXIT.usage, fix: { run: "hookline emit --help" }, cause: error });
  }
}
