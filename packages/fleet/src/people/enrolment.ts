import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { Roster } from "../credentials/roster.js";
import { isSigned, signText } from "../credentials/signing.js";
import { isName } from "../nats/subjects.js";

/**
 * An admin lets one person make one passkey: the permission is signed and goes through the audit to every fleet hub, and the new passkey comes
 * back the same way. Only the person's link has the code. A fleet hub knows its digest, so it can tell which permission is meant, but cannot
 * make the proof that a passkey was made with the link.
 */

const PURPOSE = "hookline-fleet-enrolment-v1";
/** Actions of the audit. */
export const ENROLMENT_OPENED = "enrolment-opened";
export const PASSKEY_MADE = "passkey-made";
/** How long a link works at most, also if the permission says more. */
const MAX_MS = 3_600_000;

const enrolmentSchema = z.strictObject({
  format: z.literal(1),
  fleet: z.string().max(64),
  /** The digest of the code. */
  id: z.string().regex(/^[0-9a-f]{64}$/),
  person: z.string().refine(isName),
  challenge: z.string().regex(/^[\w-]{43}$/),
  /** The dashboard's. */
  origin: z.string().max(300),
  /** The admin. */
  by: z.string().refine(isName),
  /** Milliseconds since 1970. */
  until: z.number().int().positive(),
});
export type Enrolment = Readonly<z.output<typeof enrolmentSchema>>;

const signedSchema = z.object({ enrolment: z.string().max(4000), signature: z.string().max(200) });
export type SignedEnrolment = Readonly<z.output<typeof signedSchema>>;

/** A code for the link, and what stands for it elsewhere. */
export function newCode(): { readonly code: string; readonly id: string; readonly challenge: string } {
  const code = randomBytes(32).toString("base64url");
  return { code, id: codeId(code), challenge: randomBytes(32).toString("base64url") };
}

function codeId(code: string): string {
  return createHash("sha256").update(code).digest("hex");
}

export function signEnrolment(enrolment: Enrolment, signingKey: string): SignedEnrolment {
  const text = JSON.stringify(enrolmentSchema.parse(enrolment));
  return { enrolment: text, signature: signText(signingKey, PURPOSE, text) };
}

/** The permission, if an admin of the roster signed it and it is still good. Never throws. */
export function checkEnrolment(value: unknown, roster: Roster, now: number): Enrolment | undefined {
  const signed = signedSchema.safeParse(value);
  if (!signed.success) return undefined;
  const { enrolment: text, signature } = signed.data;
  const enrolment = read(text);
  if (enrolment === undefined || enrolment.fleet !== roster.fleet || enrolment.until <= now || enrolment.until > now + MAX_MS)
    return undefined;
  const admin = roster.people.find(({ name, role }) => name === enrolment.by && role === "admin");
  return admin !== undefined && isSigned(admin.key, PURPOSE, text, signature) ? enrolment : undefined;
}

function read(text: string): Enrolment | undefined {
  try {
    return enrolmentSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

const madeSchema = z.object({
  id: z.string().max(64),
  proof: z.string().max(64),
  response: z.object({
    id: z.string().max(2000),
    rawId: z.string().max(2000),
    type: z.literal("public-key"),
    response: z.object({ clientDataJSON: z.string().max(20_000), attestationObject: z.string().max(100_000) }),
    clientExtensionResults: z.record(z.string(), z.unknown()),
  }),
});
export type MadePasskey = Readonly<z.output<typeof madeSchema>>;

/** A passkey that was made with this code; `undefined` for any other. */
export function readMade(value: unknown, code: string): MadePasskey | undefined {
  const made = madeSchema.safeParse(value);
  if (!made.success || made.data.id !== codeId(code)) return undefined;
  const { id, clientDataJSON, attestationObject } = { ...made.data.response.response, id: made.data.response.id };
  const expected = createHmac("sha256", code).update([id, clientDataJSON, attestationObject].join("\n")).digest();
  const given = Buffer.from(made.data.proof, "hex");
  return given.length === expected.length && timingSafeEqual(given, expected) ? made.data : undefined;
}

/** The details of an entry of the audit; `undefined` for bytes that are not one. */
export function detailsIn(data: Uint8Array): unknown {
  try {
    return (JSON.parse(new TextDecoder().decode(data)) as { readonly details?: unknown }).details;
  } catch {
    return undefined;
  }
}
