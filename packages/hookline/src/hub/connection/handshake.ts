import { createNonce, isProof, prove } from "@hookline/core/internal/machine";
import { CONNECTION_VERSION, type HubFrame } from "@hookline/core/internal/wire";
import type { EnvelopeSource } from "@hookline/core/sinks";
import { isAgentName } from "../ingest/agent-names.js";
import { createOwnSource, hidesSigns } from "../ingest/own-source.js";

interface Frame {
  readonly [key: string]: unknown;
}
type Step =
  | { readonly reply: HubFrame }
  | { readonly source: EnvelopeSource; readonly cwd: string | undefined; readonly spool: string | undefined }
  | { readonly refused: "bad_token" | "protocol" | "name" };

const NONCE = /^[!-~]{16,256}$/;

/** Both sides show that they know the token, and neither says it. Gives what to answer, and in the end who it is. */
export function createHandshake(instance: string, token: () => string): (frame: Frame) => Step {
  const nonce = createNonce();
  let isGreeted = false;

  return (frame) => {
    if (!isGreeted && frame.type === "hello") return greet(frame);
    if (isGreeted && frame.type === "login") return login(frame);
    return { refused: "protocol" };
  };

  function greet(frame: Frame): Step {
    if (frame.v !== CONNECTION_VERSION || typeof frame.nonce !== "string" || !NONCE.test(frame.nonce)) return { refused: "protocol" };
    isGreeted = true;
    return { reply: { type: "proof", v: CONNECTION_VERSION, instance, proof: prove(token(), "hub", instance, frame.nonce), nonce } };
  }

  function login({ proof, source, cwd, spool }: Frame): Step {
    if (!isProof(proof, prove(token(), "client", instance, nonce))) return { refused: "bad_token" };
    const known = readSource(source);
    if (known === undefined) return { refused: "protocol" };
    // What waits for an attached agent is for its hooks, and not for a process that takes its name.
    return hidesSigns(known.app + known.host) || createOwnSource(instance).isClaimedBy(known) || isAgentName(known)
      ? { refused: "name" }
      : { source: known, cwd: textOf(cwd, 4_096), spool: textOf(spool, 64) };
  }
}

function textOf(value: unknown, maxChars: number): string | undefined {
  return typeof value === "string" ? value.slice(0, maxChars) : undefined;
}

function readSource(value: unknown): EnvelopeSource | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { app, host, pid, instance } = value as Record<string, unknown>;
  if (typeof app !== "string" || typeof host !== "string" || typeof instance !== "string" || !Number.isSafeInteger(pid)) return undefined;
  return shortSource({ app, host, pid: pid as number, instance });
}

/** What a connection keeps of the names that a process gives. */
export function shortSource({ app, host, pid, instance }: EnvelopeSource): EnvelopeSource {
  return { app: app.slice(0, 256), host: host.slice(0, 256), pid, instance: instance.slice(0, 64) };
}
