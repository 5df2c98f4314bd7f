import { createHash, createHmac } from "node:crypto";
import type { Envelope } from "../../catalog/envelope.js";
import { HookError } from "../../catalog/errors.js";

/** The keys in secrets as Standard Webhooks writes them: base64, with or without `whsec_`. Throws `HL_BAD_OPTION`, quoting none. */
export function readKeys(secret: string | readonly string[] | undefined): Buffer[] {
  const secrets = secret === undefined ? [] : typeof secret === "string" ? [secret] : secret;
  return secrets.map(readKey);
}

/** The same for every retry of a batch, so that a receiver can tell a repetition. */
export function messageIdOf(batch: readonly Envelope[]): string {
  const hash = createHash("sha256");
  for (const { id } of batch) hash.update(`${id}\n`);
  // Base64url has no full stop, which separates the signed parts.
  return `msg_${hash.digest("base64url").slice(0, 32)}`;
}

export interface SignedMessage {
  readonly id: string;
  readonly body: Buffer;
  readonly atMs: number;
}

/** The headers of Standard Webhooks; without keys there is no signature. */
export function signatureHeaders({ id, body, atMs }: SignedMessage, keys: readonly Buffer[]): Record<string, string> {
  const timestamp = String(Math.floor(atMs / 1000));
  const headers = { "webhook-id": id, "webhook-timestamp": timestamp };
  if (keys.length === 0) return headers;
  const sign = (key: Buffer) => `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
  return { ...headers, "webhook-signature": keys.map(sign).join(" ") };
}

function readKey(secret: string): Buffer {
  const text = secret.replace(/^whsec_/, "");
  const key = Buffer.from(text, "base64");
  // Node skips what is not base64; a key with holes in it would sign, and never verify.
  if (key.length > 0 && key.toString("base64").replace(/=+$/, "") === text.replace(/=+$/, "")) return key;
  throw new HookError("HL_BAD_OPTION", 'createWebhookSink: "secret" must be base64, as in "whsec_…"; the receiver shows it this way.');
}
