import { createCipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";

/** The keys of a browser's push subscription, in base64url. */
export interface PushKeys {
  readonly p256dh: string;
  readonly auth: string;
}

/** Given in tests. Otherwise each message has its own. */
interface Chosen {
  readonly salt?: Buffer;
  readonly privateKey?: Buffer;
}

const RECORD_BYTES = 4_096;
/** Of the only record, which is the last. */
const LAST = 2;

/** Encrypts a message for one browser, as RFC 8291 says: the push service that carries it cannot read it. Throws for keys that are not on the curve. */
export function encryptPush(text: string, { p256dh, auth }: PushKeys, { salt = randomBytes(16), privateKey }: Chosen = {}): Buffer {
  const own = createECDH("prime256v1");
  if (privateKey === undefined) own.generateKeys();
  else own.setPrivateKey(privateKey);
  const [theirs, ours] = [Buffer.from(p256dh, "base64url"), own.getPublicKey()];
  const shared = own.computeSecret(theirs);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), theirs, ours]);
  const secret = derive(shared, Buffer.from(auth, "base64url"), info, 32);
  const key = derive(secret, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
  const nonce = derive(secret, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.update(Buffer.of(LAST)), cipher.final(), cipher.getAuthTag()]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(RECORD_BYTES);
  return Buffer.concat([salt, size, Buffer.of(ours.length), ours, sealed]);
}

function derive(secret: Buffer, salt: Buffer, info: Buffer, bytes: number): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, salt, info, bytes));
}
