import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import { z } from "zod";
import type { PackFiles } from "./tar.js";

/** The signer of a pack or a bundle. */
export interface Signer {
  /** What the signer calls itself. Only the fingerprint proves anything. */
  readonly name: string;
  /** The public key, in base64. */
  readonly key: string;
  /** `SHA256:…` */
  readonly fingerprint: string;
}

/** What is signed: a signature for one kind is not valid for another. */
export interface SignedKind {
  readonly context: string;
  /** The file with the signature, which it does not cover. */
  readonly file: string;
  /** In messages: `pack`. */
  readonly noun: string;
}

const signature = z.strictObject({ signer: z.string().min(1).max(100), key: z.string().max(200), signature: z.string().max(200) });

/** The text of the signature file. */
export function signFiles(
  files: PackFiles,
  kind: SignedKind,
  by: { readonly name: string; readonly key: KeyObject },
): { readonly text: string; readonly signer: Signer } {
  const signed = sign(null, signedBytes(files, kind, by.name), by.key).toString("base64");
  const signer = signerOf(by.name, rawKey(createPublicKey(by.key)));
  return { text: `${JSON.stringify({ signer: by.name, key: signer.key, signature: signed }, undefined, 2)}\n`, signer };
}

/** Undefined for files without a signature. Throws for a signature that is wrong. */
export function checkSignature(files: PackFiles, kind: SignedKind): Signer | undefined {
  const content = files.get(kind.file);
  if (content === undefined) return undefined;
  const wrong = new Error(`The signature in ${kind.file} is wrong: the ${kind.noun} is not what its signer signed.`);
  let read: z.output<typeof signature>;
  let key: KeyObject;
  try {
    read = signature.parse(JSON.parse(content.toString("utf8")));
    key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: Buffer.from(read.key, "base64").toString("base64url") }, format: "jwk" });
  } catch {
    throw wrong;
  }
  if (!verify(null, signedBytes(files, kind, read.signer), key, Buffer.from(read.signature, "base64"))) throw wrong;
  return signerOf(read.signer, rawKey(key));
}

/** Identifies the content, also if another key signs it: the SHA-256 of all names and digests. */
export function digestOfFiles(files: PackFiles, kind: SignedKind): string {
  return createHash("sha256")
    .update(signedBytes(files, kind, ""))
    .digest("hex");
}

/** A new private key, as PEM. */
export function createSigningKey(): string {
  return generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

export function readSigningKey(pem: string): KeyObject {
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType !== "ed25519") throw new Error("The key is not an Ed25519 key.");
  return key;
}

/** The signer that a private or public key stands for. */
export function signerOfKey(name: string, key: KeyObject): Signer {
  return signerOf(name, rawKey(key.type === "private" ? createPublicKey(key) : key));
}

function hashFile(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Every file by its name and digest, and the signer's name: nothing can be added, removed, renamed or changed. */
function signedBytes(files: PackFiles, { context, file }: SignedKind, signer: string): Buffer {
  const rows = [...files]
    .filter(([name]) => name !== file)
    .map(([name, content]) => [name, hashFile(content)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.from(JSON.stringify([context, signer, rows]));
}

function rawKey(key: KeyObject): Buffer {
  return Buffer.from(key.export({ format: "jwk" }).x ?? "", "base64url");
}

function signerOf(name: string, raw: Buffer): Signer {
  return { name, key: raw.toString("base64"), fingerprint: `SHA256:${createHash("sha256").update(raw).digest("base64url")}` };
}
