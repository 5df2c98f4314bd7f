import { setTimeout as sleep } from "node:timers/promises";
import { type ClientFacts, clientCapabilitiesFor, type Era, LATEST_LEGACY_VERSION, MODERN_VERSION, withEnvelope } from "../protocol/era.js";
import { type Fields, fieldsOf, type Response } from "../protocol/message.js";
import { discovered, initialized, type ServerHello } from "./server-hello.js";

/** What a server is told about the client, and in which era it is spoken to if it has both. */
export interface Greeting {
  readonly facts: ClientFacts;
  readonly prefer: Era;
  /** The client's own `initialize`, or what one would be. */
  readonly initialize: Fields;
  /** `modern`: a server that speaks only the legacy era is refused. */
  readonly eras: "any" | "modern";
}

/** Asks the server one question. Rejects if it gets no answer. */
export type AskServer = (method: string, params: Fields) => Promise<Response>;

/** A server of the legacy era may never answer what it does not know. One that is installed at its first start answers late, and is asked both. */
const PROBE_MS = 10_000;

export function greetingOf(facts: ClientFacts, prefer: Era, eras: Greeting["eras"], said?: Fields): Greeting {
  const initialize = said ?? {
    protocolVersion: LATEST_LEGACY_VERSION,
    capabilities: clientCapabilitiesFor("legacy", facts.capabilities),
    clientInfo: facts.info ?? { name: "hookline", version: "1" },
  };
  return { facts, prefer, initialize, eras };
}

/** Finds out which era the server speaks, in the order that the client prefers. Rejects with the reason why it cannot be used. */
export async function greet(greeting: Greeting, ask: AskServer, probeMs: number = PROBE_MS): Promise<ServerHello> {
  return greeting.prefer === "modern" || greeting.eras === "modern" ? modernFirst(greeting, ask, probeMs) : legacyFirst(greeting, ask);
}

async function modernFirst(greeting: Greeting, ask: AskServer, probeMs: number): Promise<ServerHello> {
  const probe = discover(greeting, ask);
  const found = await Promise.race([probe.catch(() => undefined), sleep(probeMs, undefined, { ref: false })]);
  if (found !== undefined) return found;
  if (greeting.eras === "modern") {
    // A server that only starts slowly is not taken for an old one.
    const late = await probe;
    if (late !== undefined) return late;
    throw new Error(`It speaks only revisions before ${MODERN_VERSION}, and eras = "modern" refuses them.`);
  }
  const answer = await ask("initialize", greeting.initialize);
  if (answer.error === undefined) return initialized(fieldsOf(answer.result));
  const late = await probe.catch(() => undefined);
  if (late !== undefined) return late;
  throw refusal(answer);
}

async function legacyFirst(greeting: Greeting, ask: AskServer): Promise<ServerHello> {
  const [answer] = await Promise.allSettled([ask("initialize", greeting.initialize)]);
  if (answer.status === "fulfilled" && answer.value.error === undefined) return initialized(fieldsOf(answer.value.result));
  const found = await discover(greeting, ask).catch(() => undefined);
  if (found !== undefined) return found;
  throw answer.status === "rejected" ? answer.reason : refusal(answer.value);
}

/** `undefined`: the server does not speak the modern era, or no revision of it that Hookline speaks. */
async function discover({ facts }: Greeting, ask: AskServer): Promise<ServerHello | undefined> {
  const capabilities = clientCapabilitiesFor("modern", facts.capabilities);
  const { result } = await ask("server/discover", withEnvelope({}, { ...facts, capabilities }));
  return discovered(fieldsOf(result));
}

function refusal({ error }: Response): Error {
  return new Error(`It refused to start: ${String(fieldsOf(error).message)}`);
}
