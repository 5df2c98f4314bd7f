import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** The key pair by which push services know this hub (RFC 8292). */
export interface VapidKey {
  /** For `pushManager.subscribe`: the public point in base64url. */
  readonly publicKey: string;
  /** To keep. */
  readonly jwk: VapidJwk;
  /** The header that allows one request to this push service. */
  authorization(endpoint: string, subject: string): string;
}

export interface VapidJwk {
  readonly kty: "EC";
  readonly crv: "P-256";
  readonly x: string;
  readonly y: string;
  readonly d: string;
}

/** Push services take at most a day. */
const VALID_S = 12 * 3_600;

export function createVapidKey(kept?: VapidJwk, now: () => number = Date.now): VapidKey {
  const jwk = kept ?? newJwk();
  const key: KeyObject = createPrivateKey({ key: { ...jwk }, format: "jwk" });
  const publicKey = Buffer.concat([Buffer.of(4), Buffer.from(jwk.x, "base64url"), Buffer.from(jwk.y, "base64url")]).toString("base64url");
  return {
    publicKey,
    jwk,
    authorization(endpoint, subject) {
      const claims = { aud: new URL(endpoint).origin, exp: Math.floor(now() / 1_000) + VALID_S, sub: subject };
      const signed = [{ typ: "JWT", alg: "ES256" }, claims]
        .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
        .join(".");
      const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" }).toString("base64url");
      return `vapid t=${signed}.${signature}, k=${publicKey}`;
    },
  };
}

function newJwk(): VapidJwk {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" }) as unknown as VapidJwk;
}
