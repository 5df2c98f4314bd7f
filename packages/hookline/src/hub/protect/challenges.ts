import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** How long a person has to confirm. */
export const CHALLENGE_MS = 120_000;

/** `foreign`: another hub issued it, or it was issued for something else. */
type ChallengeState = "good" | "expired" | "used" | "foreign";

export interface Challenges {
  /** A challenge for exactly this text. It works once, for two minutes. */
  issue(bound: string): string;
  check(challenge: string, bound: string): ChallengeState;
  /** From now on the challenge is `used`. */
  use(challenge: string): void;
}

const [TIME_BYTES, RANDOM_BYTES, MAC_BYTES] = [6, 16, 32];
const HEAD_BYTES = TIME_BYTES + RANDOM_BYTES;

/**
 * A challenge carries its own end and a keyed hash of what it was issued for. The hub remembers only those that were used, so a process that
 * requests endless challenges neither fills the memory nor displaces the one that a person is about to confirm.
 */
export function createChallenges(now: () => number = () => performance.now()): Challenges {
  const key = randomBytes(32);
  const used = new Map<string, number>();
  const macOf = (head: Buffer, bound: string): Buffer => createHmac("sha256", key).update(head).update(bound).digest();

  return {
    issue(bound) {
      const head = randomBytes(HEAD_BYTES);
      head.writeUIntBE(Math.ceil(now()) + CHALLENGE_MS, 0, TIME_BYTES);
      return Buffer.concat([head, macOf(head, bound)]).toString("base64url");
    },
    check(challenge, bound) {
      const bytes = Buffer.from(challenge, "base64url");
      // Several texts decode to the same bytes, and only one of them is remembered as used.
      if (bytes.length !== HEAD_BYTES + MAC_BYTES || bytes.toString("base64url") !== challenge) return "foreign";
      const head = bytes.subarray(0, HEAD_BYTES);
      if (!timingSafeEqual(macOf(head, bound), bytes.subarray(HEAD_BYTES))) return "foreign";
      if (head.readUIntBE(0, TIME_BYTES) <= now()) return "expired";
      return used.has(challenge) ? "used" : "good";
    },
    use(challenge) {
      for (const [other, until] of used) if (until <= now()) used.delete(other);
      used.set(challenge, now() + CHALLENGE_MS);
    },
  };
}
