import { HookError } from "@hookline/core";
import { type Envelope, type EnvelopeSource, encodeEnvelope } from "@hookline/core/sinks";
import type { Accepted, Refusal } from "../parts.js";
import { isAgentName } from "./agent-names.js";
import { cutSession } from "./cut-session.js";
import { isDeeperThan, measureJson } from "./json-shape.js";
import { createOwnSource, hidesSigns } from "./own-source.js";
import { createQuickEnvelopes } from "./quick-envelope.js";
import { readEnvelope } from "./read-envelope.js";

/** The payload's 64 levels, a marker for what was deeper, and the envelope around it. */
const MAX_DEPTH = 66;
/** Names stand in indexes and in rollups, where they outlive the event. */
const MAX_NAME = 1_024;

/** Ids that only the hub gives: of replies that it presumes, of a person's answer beside that of a process, and of events whose id was taken. */
const OWN_IDS = /^(?:presumed-|hub-replied-|of-[0-9a-f]{32}$)/;
/** An event within the forwarder's default size is never too wide. */
const LARGE_CHARS = 320 * 1_024;
/** To parse more would hold up the questions of other processes. */
const LARGE_LIMITS = { levels: MAX_DEPTH, keys: 50_000, values: 500_000 };
const TOO_WIDE: Refusal = {
  code: "HL_BAD_ENVELOPE",
  reason: `The event has more than ${LARGE_LIMITS.keys.toLocaleString("en")} keys or ${LARGE_LIMITS.values.toLocaleString("en")} values.`,
};

const FORGED_AGENT: Refusal = {
  code: "HL_FORGED_SOURCE",
  reason: "The event says that it comes from an attached agent, whose events only the agent's hooks report. Give the process another name.",
};
const HIDING: Refusal = {
  code: "HL_FORGED_SOURCE",
  reason: "The name of the process or of its host has invisible signs. Give it a name without them.",
};
const FORGED: Refusal = { code: "HL_FORGED_SOURCE", reason: "The event says that it comes from the hub itself." };

/** Checks what comes from outside, a line of JSON, before anything else looks at it. Never throws. */
export function createAcceptor(instance: string): {
  line(line: string): Accepted | Refusal;
  envelope(envelope: Envelope): Accepted | Refusal;
  /** What the hub made of a call that came to it: of an attached agent's hook, for example. */
  made(line: string): Accepted | Refusal;
  /** What the hub of another host has accepted. It is stored under the name of that host. */
  fleet(line: string): Accepted | Refusal;
  /** Why a process may not call itself that, whatever it does under the name. */
  source(source: EnvelopeSource): Refusal | undefined;
  /** What the hub has to tell: only from here does anything come in its name. */
  own(envelope: Envelope, line?: string): Accepted | Refusal;
} {
  const own = createOwnSource(instance);
  const quick = createQuickEnvelopes();

  function read(body: string): Accepted | Refusal {
    if (isDeeperThan(body, MAX_DEPTH)) return { code: "HL_TOO_DEEP", reason: "The event is nested deeper than 64 levels." };
    if (body.length > LARGE_CHARS && measureJson(body, LARGE_LIMITS).exceeds !== undefined) return TOO_WIDE;
    const known = quick.read(body);
    if (known !== undefined) return { envelope: known, body };
    try {
      const accepted = fitted({ envelope: readEnvelope(body), body });
      const { envelope } = accepted;
      const long = refuseNames(envelope);
      if (long !== undefined) return long;
      if (envelope.hops.includes(instance)) return { code: "HL_LOOP", reason: "The event has been here before." };
      if (accepted.body === body) quick.learn(body, envelope);
      return accepted;
    } catch (error) {
      return refusalOf(error);
    }
  }

  function made(body: string): Accepted | Refusal {
    const result = read(body);
    if (isRefusal(result)) return result;
    return own.isClaimedBy(result.envelope.source) || OWN_IDS.test(result.envelope.id) ? FORGED : result;
  }

  function line(body: string): Accepted | Refusal {
    const result = made(body);
    return isRefusal(result) || !isAgentName(result.envelope.source) ? result : FORGED_AGENT;
  }

  return {
    line,
    made,
    fleet: read,
    source(source) {
      if (hidesSigns(source.app) || hidesSigns(source.host)) return HIDING;
      if (own.isClaimedBy(source)) return FORGED;
      return isAgentName(source) ? FORGED_AGENT : undefined;
    },
    envelope: (envelope) => made(encodeEnvelope(envelope)),
    own(envelope, line = encodeEnvelope(envelope)) {
      own.add(envelope.source.instance);
      return read(line);
    },
  };
}

/** An event whose session has an id that is too long is stored all the same, with the id cut. */
function fitted(accepted: Accepted): Accepted {
  const { envelope, body } = accepted;
  const session = envelope.session && cutSession(envelope.session, MAX_NAME);
  if (session === undefined) return accepted;
  return { envelope: { ...envelope, session }, body: JSON.stringify({ ...JSON.parse(body), session }) };
}

/** Why an envelope's names cannot be stored. */
export function refuseNames(envelope: Envelope): Refusal | undefined {
  const { app, host } = envelope.source;
  if (hidesSigns(app) || hidesSigns(host)) return HIDING;
  const long = findLongName(envelope);
  if (long === undefined) return undefined;
  return { code: "HL_BAD_ENVELOPE", reason: `The envelope's "${long}" is longer than ${MAX_NAME} characters.` };
}

function findLongName({ event, source: { app, host }, session }: Envelope): string | undefined {
  if (event.length > MAX_NAME) return "event";
  if (app.length > MAX_NAME) return "source.app";
  if (host.length > MAX_NAME) return "source.host";
  if (session === undefined) return undefined;
  if (session.id.length > MAX_NAME) return "session.id";
  return (session.parentId?.length ?? 0) > MAX_NAME ? "session.parentId" : undefined;
}

export function isRefusal(result: Accepted | Refusal): result is Refusal {
  return "code" in result;
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof HookError) return { code: error.code, reason: error.message };
  return { code: "HL_BAD_ENVELOPE", reason: "This is not an envelope." };
}
