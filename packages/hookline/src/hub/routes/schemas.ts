import { createRequire } from "node:module";
import type { Actor, ReminderSpec, TrailStep } from "@hookline/core";
import type { Envelope, EnvelopeSource } from "@hookline/core/sinks";
import { z } from "zod";
import { MAX_CALL_MS } from "../gates/gates.js";
import { wholeNumber } from "../http/read-input.js";
import { derivedKey as storedKey } from "../protect/settings.js";

interface Named {
  /** The name of the type in `protocol.ts` and in the OpenAPI document. */
  readonly id: string;
  /** The module that exports the type, if it is not the hub's own. */
  readonly from?: string;
  /** The JSON Schema of such a type. */
  readonly json?: object;
}

/** Every type of the HTTP API that has a name. Schemas register themselves here. */
export const contract = z.registry<Named>();

/** The published schema of envelopes. */
const { $schema: _schema, $id: _id, ...envelopeJson } = createRequire(import.meta.url)("@hookline/core/schema/envelope.json");

export const count = z.int().min(0);
export const milliseconds = z.number().min(0);
export const counts = z.record(z.string(), count);
export const verdict = z.enum(["pass", "allow", "ask", "deny"]).register(contract, { id: "Verdict", from: "@hookline/core" });
/** Any JSON value, but it must be there. */
export const present = z.unknown().refine((value) => value !== undefined, { error: "is missing." });
/** Any JSON object. */
export const anyObject = z.custom<object>((value) => typeof value === "object" && value !== null);

export const envelope = z
  .custom<Envelope>(isObject)
  .register(contract, { id: "Envelope", from: "@hookline/core/sinks", json: envelopeJson });
export const envelopeSource = z
  .custom<EnvelopeSource>(isObject)
  .register(contract, { id: "EnvelopeSource", from: "@hookline/core/sinks", json: envelopeJson.properties.source });
export const actor = z
  .custom<Actor>(isObject)
  .register(contract, { id: "Actor", from: "@hookline/core", json: envelopeJson.properties.decision.properties.actor });
const trailStep = z
  .custom<TrailStep>(isObject)
  .register(contract, { id: "TrailStep", from: "@hookline/core", json: envelopeJson.properties.decision.properties.trail.items });
const reminderSpec = z.custom<ReminderSpec>(isObject).register(contract, {
  id: "ReminderSpec",
  from: "@hookline/core",
  json: { type: "object", description: "docs/reminders.md explains it." },
});

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const derivedKey = storedKey
  .describe("The public key that a client derives from a secret with scrypt, and the salt. It checks signatures and cannot make any.")
  .register(contract, { id: "DerivedKey" });

const bytes = z.string().max(65_536);
/** A new passkey. */
export const attestation = z
  .strictObject({
    id: bytes,
    rawId: bytes,
    type: z.literal("public-key"),
    response: z.strictObject({ clientDataJSON: bytes, attestationObject: bytes }),
    clientExtensionResults: anyObject,
  })
  .describe("The answer of `navigator.credentials.create`, in the JSON of the WebAuthn standard.");
export const passkeyRow = z.object({ id: z.string(), name: z.string(), addedAt: z.string().describe("ISO 8601.") });
/** What a browser needs to make a passkey. */
export const passkeyOptionsBody = z
  .object({
    challenge: z.string(),
    rpId: z.string(),
    user: z.string().describe("Random bytes in base64url."),
    exclude: z.array(z.string()).describe("The ids of the passkeys that are known."),
  })
  .register(contract, { id: "PasskeyOptionsAnswer" });
/** What a passkey signed. */
export const assertion = z
  .strictObject({
    id: bytes,
    rawId: bytes,
    type: z.literal("public-key"),
    response: z.strictObject({ clientDataJSON: bytes, authenticatorData: bytes, signature: bytes }),
    clientExtensionResults: z.record(z.string(), z.unknown()),
  })
  .describe("The answer of `navigator.credentials.get`, in the JSON of the WebAuthn standard.");

const confirmNeeded = z
  .object({
    challenge: z.string(),
    allows: z.string().describe("What the request does, for the person who confirms it."),
    forMs: count.describe("How long the challenge works."),
    factors: z
      .object({
        passphrase: derivedKey.exactOptional(),
        recovery: derivedKey.exactOptional(),
        totp: z.literal(true).exactOptional().describe("The six digits of an authenticator app. Each code works once."),
        passkey: z
          .object({
            rpId: z.string().describe("The dashboard's own name."),
            credentials: z.array(z.object({ id: z.string(), transports: z.array(z.string()) })),
          })
          .exactOptional(),
      })
      .describe("Any one of them confirms it."),
  })
  .describe("How to confirm a request while `hookline protect` is on.")
  .register(contract, { id: "ConfirmNeeded" });

export const errorAnswer = z
  .object({
    error: z.object({
      code: z.string().describe("docs/reference/errors.md lists the codes."),
      message: z.string().describe("What went wrong."),
      fix: z.string().exactOptional().describe("What to do about it: a command or a sentence."),
      confirm: confirmNeeded.exactOptional().describe("With `HL_CONFIRM`."),
    }),
  })
  .describe("The body of every answer with a status of 400 or more.")
  .register(contract, { id: "ErrorAnswer" });

const sessionError = 'must be an object, and "session.id" must be text that is not empty.';
export const session = z
  .object({ id: z.string().min(1), parentId: z.string().exactOptional() }, { error: sessionError })
  .describe("A session, and the session that started it.")
  .register(contract, { id: "Session" });

/** What handlers left for the model, and what each of them did. */
export const effects = {
  injections: z.array(z.string()).describe("Text to add to the model's context."),
  reminders: z.array(z.object({ spec: reminderSpec, by: z.string() })),
  trail: z.array(trailStep).describe("What each actor did, in order."),
};

const EXAMPLES = { gate: "tool:before", transform: "tool:result" };
const INSTANCE = /^[A-Za-z0-9_-]{1,64}$/;
const instanceError = "must be 1 to 64 letters, digits, _ or -. If you leave it out, it is the name of the agent.";

/** The name of an event that can be decided or transformed. */
export function eventName(kind: "gate" | "transform") {
  const error = `must be the name of a ${kind} event, such as "${EXAMPLES[kind]}".`;
  return z.string({ error }).describe(`A ${kind}, in any spelling.`);
}

/** Fields that the questions of `decide` and `transform` share. */
export const asker = {
  session: session.exactOptional(),
  source: z
    .object({
      app: z.string({ error: "must be the name of your agent." }).min(1).describe("The name of your agent."),
      host: z.string().exactOptional(),
      pid: wholeNumber(0).exactOptional(),
      instance: z.string().regex(INSTANCE, { error: instanceError }).exactOptional().describe("The process; `app` unless given."),
    })
    .refine(({ app, instance = app }) => INSTANCE.test(instance), { path: ["instance"], error: instanceError })
    .exactOptional()
    .describe("The agent that asks."),
};

/** A source with every field of an envelope's. Unknown ones are empty, as in the envelopes of attached agents. */
export function fullSource({
  app,
  host = "",
  pid = 0,
  instance = app,
}: Partial<EnvelopeSource> & { readonly app: string }): EnvelopeSource {
  return { app, host, pid, instance };
}

export const timeoutMs = wholeNumber(1, MAX_CALL_MS).exactOptional();

const MAX_MINUTES = 44_640;
/** How far back a route looks. */
export const minutes = wholeNumber(1, MAX_MINUTES).default(60).describe("How many minutes to look back.");

export function limit(max: number, usual: number) {
  return wholeNumber(1, max).default(usual).describe("The largest number of rows.");
}

export const noFields = z.strictObject({}).describe("A body without fields.").register(contract, { id: "EmptyRequest" });

/** The name that a person gives for the record. */
export function personName(maxLength: number) {
  const error = `must be text of at most ${maxLength} characters that is not empty.`;
  return z
    .string({ error })
    .max(maxLength, { error })
    .refine((text) => text.trim() !== "", { error });
}

export const processRow = z
  .object({
    pid: count,
    program: z.string().exactOptional().describe("The path of its executable."),
    command: z.string().exactOptional().describe("The first words of its command line."),
    uid: count.exactOptional().describe("The number of its user."),
  })
  .describe("A process, as the operating system describes it.")
  .register(contract, { id: "ProcessRow" });

export const eventOrigin = z
  .object({
    way: z
      .enum(["connection", "request", "agent", "spool", "import", "hub"])
      .describe(
        "`connection`: of a process with a bus. `request`: over HTTP. `agent`: an attached agent's hooks. `spool`: a file that a process left. `import`: a session file. `hub`: the hub itself says it.",
      ),
    since: z.string().describe("When the connection or the process was first seen. ISO 8601."),
    app: z.string().exactOptional().describe("The name that the process connected with, or the agent's id."),
    instance: z.string().exactOptional().describe("The instance that the process connected as."),
    process: processRow.exactOptional(),
    unknown: z.string().exactOptional().describe("Why the process is not known, or not fully."),
  })
  .describe("By which way and from which process an event reached the hub, as the operating system knows it.")
  .register(contract, { id: "EventOrigin" });

export const guardPause = z
  .object({
    by: z.string(),
    since: z.string().describe("ISO 8601."),
    until: z.string().describe("ISO 8601."),
    reason: z.string().exactOptional(),
  })
  .describe("A pause: until then the hub asks no guard.")
  .register(contract, { id: "GuardPause" });

export const chainHead = z
  .object({ chain: z.string(), n: count.describe("The number of entries."), hash: z.string().describe("The last link.") })
  .describe("The end of the hub's chain of decisions.")
  .register(contract, { id: "ChainHead" });
