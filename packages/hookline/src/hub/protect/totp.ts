import { createHmac, timingSafeEqual } from "node:crypto";

/** One-time codes of RFC 6238, as authenticator apps make them: HMAC-SHA-1, 30 seconds, 6 digits. */
const STEP_MS = 30_000;
const DIGITS = 6;
/** A code of the step before or after counts, because clocks differ and people type slowly. */
const WINDOW = 1;
/** Base32, as apps read it. */
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/** So many wrong codes of one source within this time stop its further ones: a code has only a million values. */
const MAX_WRONG = 5;
/** And so many of one user stop those of all sources of that user, but where a code was right before: any program can open sessions. */
const MAX_WRONG_OF_USER = 3 * MAX_WRONG;
const WRONG_MS = 5 * 60_000;
/** Sources where a code was right, the latest ones. */
const MAX_PROVED = 16;

/** 20 bytes in base32. */
export const TOTP_SECRET = /^[A-Z2-7]{32}$/;

export function totpCode(secret: Uint8Array, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  const number = mac.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

export function totpStep(nowMs: number): number {
  return Math.floor(nowMs / STEP_MS);
}

/** The step that the code is of, if it is a current one and later than `after`: a code works once. */
export function findTotpStep(
  secret: string,
  code: string,
  { nowMs, after }: { readonly nowMs: number; readonly after: number },
): number | undefined {
  const key = decodeBase32(secret);
  const now = totpStep(nowMs);
  const given = Buffer.from(code);
  let found: number | undefined;
  // All are compared, so the time that it takes says nothing about the code.
  for (let step = now - WINDOW; step <= now + WINDOW; step++) {
    const expected = Buffer.from(totpCode(key, step));
    if (expected.length === given.length && timingSafeEqual(expected, given) && step > after) found = step;
  }
  return found;
}

/** Where a code comes from. */
interface Source {
  readonly user: number;
  readonly session?: number;
}

export interface TotpLimit {
  /** For how long no code of this source is looked at; 0 if one is. */
  waitMs(source: Source | undefined): number;
  wrong(source: Source | undefined): void;
  right(source: Source | undefined): void;
}

export function createTotpLimit(now: () => number): TotpLimit {
  let wrong: readonly { readonly at: number; readonly user: number | undefined; readonly key: string }[] = [];
  const proved = new Set<string>();
  const keyOf = (source: Source | undefined): string => `${source?.user} ${source?.session}`;

  function waitFor(attempts: typeof wrong, most: number): number {
    const [first] = attempts.slice(-most);
    return attempts.length < most || first === undefined ? 0 : first.at + WRONG_MS - now();
  }

  return {
    waitMs(source) {
      wrong = wrong.filter(({ at }) => now() - at < WRONG_MS);
      const key = keyOf(source);
      const own = wrong.filter((attempt) => attempt.key === key);
      if (proved.has(key)) return waitFor(own, MAX_WRONG);
      const ofUser = wrong.filter((attempt) => attempt.user === source?.user && !proved.has(attempt.key));
      return Math.max(waitFor(own, MAX_WRONG), waitFor(ofUser, MAX_WRONG_OF_USER));
    },
    wrong(source) {
      wrong = [...wrong, { at: now(), user: source?.user, key: keyOf(source) }];
    },
    right(source) {
      if (source?.session === undefined) return;
      const key = keyOf(source);
      proved.delete(key);
      proved.add(key);
      const [oldest] = proved;
      if (proved.size > MAX_PROVED && oldest !== undefined) proved.delete(oldest);
    },
  };
}

export function encodeBase32(bytes: Uint8Array): string {
  let [text, bits, value] = ["", 0, 0];
  for (const byte of bytes) {
    value = (value << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET[(value >>> (bits - 5)) & 31];
    value &= 255;
  }
  return bits === 0 ? text : text + ALPHABET[(value << (5 - bits)) & 31];
}

export function decodeBase32(text: string): Buffer {
  const bytes: number[] = [];
  let [bits, value] = [0, 0];
  for (const letter of text) {
    value = ((value << 5) | ALPHABET.indexOf(letter)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >>> bits) & 255);
  }
  return Buffer.from(bytes);
}
