import { readPrivately } from "@hookline/core/internal/machine";
import { z } from "zod";
import { PROTECT_FILE } from "../mode.js";
import { TOTP_SECRET } from "./totp.js";

/** How a person confirmed. */
export type Factor = "passkey" | "passphrase" | "totp" | "recovery";

const base64url = z.string().regex(/^[\w-]{1,4096}$/);
const KEY = /^[\w-]{43}$/;
const SALT = /^[\w-]{22}$/;

/**
 * The public half of a key pair that the client derives from a secret with scrypt. It checks signatures and cannot make any, so a process
 * that reads the file gets nothing but the chance to guess the secret, one scrypt for each guess.
 */
export const derivedKey = z.strictObject({
  salt: z.string().regex(SALT, { error: "must be 16 bytes in base64url." }),
  publicKey: z.string().regex(KEY, { error: "must be an Ed25519 public key: 32 bytes in base64url." }),
});
export type DerivedKey = z.output<typeof derivedKey>;

export const passkey = z.strictObject({
  id: base64url,
  publicKey: base64url,
  counter: z.int().min(0),
  transports: z.array(z.string().max(32)).max(8),
  /** The dashboard's own name, which must stay the same: the passkey works nowhere else. */
  rpId: z.string().max(253),
  name: z.string().max(200),
  addedAt: z.string(),
});
export type Passkey = z.output<typeof passkey>;

/** A one-time password. The hub must know its secret, so it is a factor only where no agent can read the hub's files: in managed mode. */
const totp = z.strictObject({
  secret: z.string().regex(TOTP_SECRET),
  addedAt: z.string(),
  /** The step of the last code that was used: it and those before no longer count. */
  usedStep: z.int().min(0),
});

const settings = z
  .strictObject({
    version: z.literal(1),
    since: z.string(),
    passphrase: derivedKey.optional(),
    totp: totp.optional(),
    passkeys: z.array(passkey).max(16),
    recovery: derivedKey,
  })
  .refine(({ passphrase, totp, passkeys }) => passphrase !== undefined || totp !== undefined || passkeys.length > 0);

/** The factors that confirm what operates. All of it is public, except the secret of one-time passwords. */
export type ProtectSettings = z.output<typeof settings>;

export type ReadSettings =
  | { readonly state: "found"; readonly settings: ProtectSettings }
  | { readonly state: "none" }
  | { readonly state: "broken" };

/** Never throws. */
export function readSettings(folder: string): ReadSettings {
  const read = readPrivately(folder, PROTECT_FILE);
  if (read.state !== "found") return { state: read.state === "none" ? "none" : "broken" };
  const parsed = parseSettings(read.bytes.toString("utf8"));
  return parsed === undefined ? { state: "broken" } : { state: "found", settings: parsed };
}

export function parseSettings(text: string): ProtectSettings | undefined {
  try {
    return settings.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The same text for the same factors, whatever their counters say: these change with every use. */
export function factorsText({ passkeys, totp, ...rest }: ProtectSettings): string {
  const counted = { passkeys: passkeys.map((key) => ({ ...key, counter: 0 })), ...(totp && { totp: { ...totp, usedStep: 0 } }) };
  return JSON.stringify(settings.parse({ ...rest, ...counted }));
}
