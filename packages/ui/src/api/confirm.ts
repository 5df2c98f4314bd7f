import {
  type Confirmation,
  type ConfirmNeeded,
  confirmText,
  type DerivedKey,
  KEY_COST,
  type PasskeyAssertion,
} from "../../../hookline/src/hub/protocol.js";
import type { PasskeyOptionsAnswer } from "./answers.js";
import { bytesOf } from "./bytes.js";

/** A request that a person has to confirm. */
export interface Unconfirmed {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** A key pair that exists only while its secret is known. */
export interface SecretKey extends DerivedKey {
  sign(hash: BufferSource): Promise<string>;
}

/** Confirms this request and no other with the passkey. Rejects if the browser or the person does not want to. */
export async function confirmWithPasskey(needed: ConfirmNeeded, request: Unconfirmed): Promise<string> {
  const { passkey } = needed.factors;
  if (passkey === undefined) throw new Error("No passkey is set up.");
  const { allows, hash } = await hashOf(needed, request);
  const response = await signWithPasskey({
    challenge: hash,
    rpId: passkey.rpId,
    credentials: passkey.credentials,
    forMs: needed.forMs,
  });
  return headerOf({ challenge: needed.challenge, allows, factor: "passkey", response });
}

export async function confirmWithKey(needed: ConfirmNeeded, request: Unconfirmed, key: SecretKey): Promise<string> {
  const { allows, hash } = await hashOf(needed, request);
  return headerOf({ challenge: needed.challenge, allows, factor: "passphrase", signature: await key.sign(hash) });
}

/** With a code of an authenticator app, which works once. */
export async function confirmWithCode(needed: ConfirmNeeded, request: Unconfirmed, code: string): Promise<string> {
  const { allows } = await hashOf(needed, request);
  return headerOf({ challenge: needed.challenge, allows, factor: "totp", code });
}

interface PasskeyQuestion {
  readonly challenge: BufferSource;
  readonly rpId: string;
  /** Without them, the browser offers the passkeys that it knows for this address. */
  readonly credentials?: readonly { readonly id: string; readonly transports: readonly string[] }[];
  readonly forMs: number;
}

/** Lets a passkey sign a challenge. Rejects if the browser or the person does not want to. */
export async function signWithPasskey({ challenge, rpId, credentials = [], forMs }: PasskeyQuestion): Promise<PasskeyAssertion> {
  const credential = (await asked(() =>
    navigator.credentials.get({
      publicKey: {
        challenge,
        rpId,
        allowCredentials: credentials.map(({ id, transports }) => ({
          type: "public-key",
          id: bytesOf(id),
          transports: transports as AuthenticatorTransport[],
        })),
        userVerification: "required",
        timeout: forMs,
      },
    }),
  )) as PublicKeyCredential | null;
  if (credential === null) throw new Error("The browser gave no answer.");
  const { clientDataJSON, authenticatorData, signature } = credential.response as AuthenticatorAssertionResponse;
  return {
    id: credential.id,
    rawId: textOf(credential.rawId),
    type: "public-key",
    response: { clientDataJSON: textOf(clientDataJSON), authenticatorData: textOf(authenticatorData), signature: textOf(signature) },
    clientExtensionResults: {},
  };
}

interface NewPasskeyOptions extends PasskeyOptionsAnswer {
  /** The person of the fleet whose passkey it will be. */
  readonly person?: string;
  /** It must be able to sign in, without the hub naming it first. */
  readonly signsIn?: boolean;
}

/** Makes a passkey for this dashboard. */
export async function createPasskey({ challenge, rpId, user, exclude, person, signsIn = person !== undefined }: NewPasskeyOptions) {
  const credential = (await asked(() =>
    navigator.credentials.create({
      publicKey: {
        challenge: bytesOf(challenge),
        rp: { id: rpId, name: "Hookline" },
        user: { id: bytesOf(user), name: person ?? "operator", displayName: person ?? "Operator of Hookline" },
        // Ed25519, ES256 and RS256: every authenticator has one of them.
        pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: "public-key", alg })),
        excludeCredentials: exclude.map((id) => ({ type: "public-key", id: bytesOf(id) })),
        authenticatorSelection: { userVerification: "required", residentKey: signsIn ? "required" : "preferred" },
        attestation: "none",
      },
    }),
  )) as PublicKeyCredential | null;
  if (credential === null) throw new Error("The browser made no passkey.");
  const { clientDataJSON, attestationObject } = credential.response as AuthenticatorAttestationResponse;
  return {
    id: credential.id,
    rawId: textOf(credential.rawId),
    type: "public-key",
    response: { clientDataJSON: textOf(clientDataJSON), attestationObject: textOf(attestationObject) },
    clientExtensionResults: {},
  };
}

/** Browsers do not say whether the person cancelled, took too long or has no such passkey. */
async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    const isRefused = cause instanceof DOMException && cause.name === "NotAllowedError";
    throw isRefused
      ? new Error("The passkey was not used: it was cancelled, took too long, or this browser does not have it.", { cause })
      : cause;
  }
}

/** The header of an Ed25519 private key in DER, in front of its 32 bytes. */
const ED25519 = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];

/** Takes some seconds. The library is loaded for it: browsers have no scrypt of their own. */
export async function deriveKey(secret: string, salt = newSalt()): Promise<SecretKey> {
  const { scryptAsync } = await import("@noble/hashes/scrypt.js");
  const { bytes: dkLen, ...cost } = KEY_COST;
  const seed = await scryptAsync(new TextEncoder().encode(secret.normalize("NFKC")), bytesOf(salt), { ...cost, dkLen });
  const key = await crypto.subtle.importKey("pkcs8", Uint8Array.from([...ED25519, ...seed]), "Ed25519", true, ["sign"]);
  const { x = "" } = await crypto.subtle.exportKey("jwk", key);
  return { salt, publicKey: x, sign: async (hash) => textOf(await crypto.subtle.sign("Ed25519", key, hash)) };
}

function newSalt(): string {
  return textOf(crypto.getRandomValues(new Uint8Array(16)));
}

const LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** 160 random bits, in groups that people can copy. */
export function newRecoveryCode(): string {
  const letters = [...crypto.getRandomValues(new Uint8Array(32))].map((byte) => LETTERS[byte % LETTERS.length]).join("");
  return letters.match(/.{4}/g)?.join("-") ?? "";
}

async function hashOf({ challenge, allows }: ConfirmNeeded, { method, path, body }: Unconfirmed) {
  const seen = hexOf(await digestOf(allows));
  const hash = await digestOf(confirmText({ challenge, method, path, body: hexOf(await digestOf(body)), allows: seen }));
  return { allows: seen, hash };
}

export function digestOf(text: string): Promise<ArrayBuffer> {
  return crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
}

export function hexOf(buffer: ArrayBuffer): string {
  return [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function headerOf(confirmation: Confirmation): string {
  return textOf(new TextEncoder().encode(JSON.stringify(confirmation)));
}

function textOf(bytes: ArrayBuffer | Uint8Array): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}
