import { createHash, createHmac } from "node:crypto";

export interface S3Keys {
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

interface S3Request {
  readonly method: string;
  readonly host: string;
  /** Encoded as it is sent. */
  readonly path: string;
  /** In the order of their names, encoded. */
  readonly query: string;
  readonly body: Buffer;
}

/** The headers that sign a request, as Amazon's Signature Version 4 has it. */
export function signRequest({ method, host, path, query, body }: S3Request, keys: S3Keys, now: Date): { readonly [name: string]: string } {
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, "");
  const scope = `${time.slice(0, 8)}/${keys.region}/s3/aws4_request`;
  const bodyHash = hexOf(body);
  const headers = {
    host,
    "x-amz-content-sha256": bodyHash,
    "x-amz-date": time,
    ...(keys.sessionToken !== undefined && { "x-amz-security-token": keys.sessionToken }),
  };
  const names = Object.keys(headers).join(";");
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const canonical = [method, path, query, lines.join(""), names, bodyHash].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", time, scope, hexOf(Buffer.from(canonical))].join("\n");
  const key = [...scope.split("/")].reduce<string | Buffer>((secret, part) => macOf(secret, part), `AWS4${keys.secretAccessKey}`);
  const signature = macOf(key, toSign).toString("hex");
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** As the signature wants it: everything but letters, digits and `-_.~`. */
export function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function hexOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function macOf(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
