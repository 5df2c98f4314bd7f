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

const [MIN_LENGTH, MIN_DIFFERENT] = [14, 8];

/** Why a passphrase is too easy to guess; `undefined` if it is not. A process of the user can guess as long as it likes, without the hub. */
export function passphraseFault(passphrase: string): string | undefined {
  const letters = [...passphrase.normalize("NFKC")];
  if (letters.length < MIN_LENGTH) return `It needs at least ${MIN_LENGTH} characters: four or more random words are easy to type.`;
  if (new Set(letters).size < MIN_DIFFERENT) return `It needs at least ${MIN_DIFFERENT} different characters.`;
  const codes = letters.map((letter) => letter.codePointAt(0) ?? 0);
  const inRow = codes.filter((code, index) => index > 0 && Math.abs(code - (codes[index - 1] ?? 0)) <= 1).length;
  return inRow > letters.length / 2 ? "Most of it is a sequence such as abcd or 1111." : undefined;
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
