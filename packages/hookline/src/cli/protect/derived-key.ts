import { createHash, createPrivateKey, createPublicKey, randomBytes, scrypt, sign } from "node:crypto";
import { promisify } from "node:util";
import { KEY_COST } from "../../hub/protocol.js";

/** A key pair that exists only while its secret is known. The hub has the public half. */
export interface SecretKey {
  readonly publicKey: string;
  /** A signature of the SHA-256 of this text. */
  sign(text: string): string;
}

/** The header of an Ed25519 private key in DER, in front of its 32 bytes. */
const ED25519 = Buffer.from("302e020100300506032b657004220420", "hex");
const MAX_MEMORY = 2 * 128 * KEY_COST.N * KEY_COST.r;
const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

/** Takes half a second and 128 MB, which is what each guess of a passphrase costs. */
export async function deriveKey(secret: string, salt: string): Promise<SecretKey> {
  const { bytes, ...cost } = KEY_COST;
  const seed = await derive(secret.normalize("NFKC"), Buffer.from(salt, "base64url"), bytes, { ...cost, maxmem: MAX_MEMORY });
  const key = createPrivateKey({ key: Buffer.concat([ED25519, seed]), format: "der", type: "pkcs8" });
  const { x = "" } = createPublicKey(key).export({ format: "jwk" });
  return { publicKey: x, sign: (text) => sign(null, createHash("sha256").update(text).digest(), key).toString("base64url") };
}

/** What the hub stores of a new secret. */
export async function newDerivedKey(secret: string): Promise<{ readonly salt: string; readonly publicKey: string }> {
  const salt = randomBytes(16).toString("base64url");
  const { publicKey } = await deriveKey(secret, salt);
  return { salt, publicKey };
}

/** Crockford's alphabet: no letter looks like a digit. */
const LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const GROUP = 4;

/** 160 random bits, in groups that people can copy. */
export function newRecoveryCode(): string {
  const letters = [...randomBytes(32)].map((byte) => LETTERS[byte % LETTERS.length]).join("");
  return letters.match(new RegExp(`.{${GROUP}}`, "g"))?.join("-") ?? "";
}

/** The code as it was given, however it was typed. */
export function readRecoveryCode(typed: string): string {
  const letters = typed
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, "")
    .replaceAll("O", "0")
    .replace(/[IL]/g, "1");
  return letters.match(new RegExp(`.{1,${GROUP}}`, "g"))?.join("-") ?? "";
}
