import { gunzipSync, gzipSync } from "node:zlib";
import { HookError } from "@hookline/core/internal/machine";
import { z } from "zod";
import type { ServerAccess } from "../nats/connect.js";
import { inboxPrefix, isName } from "../nats/subjects.js";
import { ROLES } from "./permissions.js";
import { nkeyOf } from "./signing.js";

/** So that a person sees what the text is, and a later format is recognized. */
const INVITE_PREFIX = "hl1-";
const MAX_INVITE = 100_000;
const MAX_JSON = 1_000_000;

const credentialSchema = z.strictObject({
  format: z.literal(1),
  kind: z.enum(["host", "hub", "person"]),
  name: z.string().refine(isName, "is not a name"),
  role: z.enum(ROLES).exactOptional(),
  fleet: z.string().min(8).max(64),
  tenant: z.string().refine(isName, "is not a name"),
  urls: z
    .array(z.string().regex(/^(nats|tls):\/\/[^\s@]+$/))
    .min(1)
    .max(20),
  seed: z.string().max(100),
  rootKey: z.string().max(100),
  /** The first roster with its holder: an older one is not used, also where no other was seen yet. */
  rosterSerial: z.int().positive().exactOptional(),
  /** Of people and fleet hubs: Ed25519, PEM. */
  signingKey: z.string().max(1000).exactOptional(),
  labels: z.record(z.string().max(63), z.string().max(63)).exactOptional(),
  ca: z.string().max(50_000).exactOptional(),
});

/** All that a host, hub or person needs to take part in a fleet. Secret. */
export type Credential = Readonly<z.output<typeof credentialSchema>>;

/** Throws `HL_FLEET_CREDENTIALS`; the message never quotes the credential. */
export function parseCredential(value: unknown, where: string): Credential {
  const read = credentialSchema.safeParse(value);
  if (!read.success) {
    const issue = read.error.issues[0];
    throw unusable(where, `"${issue?.path.join(".") || "it"}" is missing or wrong`);
  }
  nkeyOf(read.data.seed);
  return read.data;
}

/** One line without spaces, to paste. */
export function encodeInvite(credential: Credential): string {
  return INVITE_PREFIX + gzipSync(JSON.stringify(credential)).toString("base64url");
}

export function isInvite(text: string): boolean {
  return text.startsWith(INVITE_PREFIX);
}

/** Throws `HL_FLEET_CREDENTIALS` for a line that was cut or changed: it has a checksum. */
export function decodeInvite(line: string): Credential {
  const where = "The invitation";
  let value: unknown;
  try {
    if (!isInvite(line) || line.length > MAX_INVITE) throw new Error("no invitation");
    const bytes = Buffer.from(line.slice(INVITE_PREFIX.length), "base64url");
    value = JSON.parse(gunzipSync(bytes, { maxOutputLength: MAX_JSON }).toString("utf8"));
  } catch {
    throw unusable(where, "it is incomplete or changed");
  }
  return parseCredential(value, where);
}

/** How its holder connects. */
export function accessOf({ kind, name, urls, seed, ca }: Credential): ServerAccess {
  return { urls, seed, ca, inboxPrefix: inboxPrefix(kind, name) };
}

function unusable(where: string, reason: string): HookError {
  return new HookError("HL_FLEET_CREDENTIALS", `${where} cannot be used: ${reason}.`, {
    fix: "Ask the fleet's admin for a new one: hookline fleet invite <host>",
  });
}
