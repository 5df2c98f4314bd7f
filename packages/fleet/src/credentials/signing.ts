import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import { HookError } from "@hookline/core/internal/machine";
import { createUser, fromSeed } from "@nats-io/nkeys";

/**
 * Signing keys are Ed25519 keys of their own. The nkeys only open connections: a server chooses what a client signs when it connects, so a
 * signature by an nkey proves nothing.
 */

/** A new private key, as PEM. */
export function createSigningKey(): string {
  return generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** The public key of a private one: raw, in base64. */
export function publicKeyOf(pem: string): string {
  return Buffer.from(createPublicKey(readPrivate(pem)).export({ format: "jwk" }).x ?? "", "base64url").toString("base64");
}

/** Signs a text for one purpose: the signature is not valid for another. */
export function signText(pem: string, purpose: string, text: string): string {
  return sign(null, bytesFor(purpose, text), readPrivate(pem)).toString("base64");
}

/** Whether the holder of a public key has signed this text for this purpose. Never throws. */
export function isSigned(publicKey: string, purpose: string, text: string, signature: string): boolean {
  try {
    const x = Buffer.from(publicKey, "base64").toString("base64url");
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    return verify(null, bytesFor(purpose, text), key, Buffer.from(signature, "base64"));
  } catch {
    return false;
  }
}

function bytesFor(purpose: string, text: string): Buffer {
  return Buffer.from(`${purpose}\0${text}`);
}

function readPrivate(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // The reason could quote the key.
  }
  throw new HookError("HL_FLEET_CREDENTIALS", "A signing key of the fleet is not an Ed25519 key in PEM.");
}

/** A new nkey for a connection. */
export function createNkey(): { readonly seed: string; readonly nkey: string } {
  const pair = createUser();
  return { seed: new TextDecoder().decode(pair.getSeed()), nkey: pair.getPublicKey() };
}

/** The public nkey of a seed. Throws `HL_FLEET_CREDENTIALS` for a text that is not a seed. */
export function nkeyOf(seed: string): string {
  try {
    return fromSeed(new TextEncoder().encode(seed)).getPublicKey();
  } catch {
    throw new HookError("HL_FLEET_CREDENTIALS", "The nkey seed of the credential is not valid.");
  }
}
