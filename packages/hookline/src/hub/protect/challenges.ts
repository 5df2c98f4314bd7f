import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** How long a person has to confirm. */
export const CHALLENGE_MS = 120_000;

/** `foreign`: another hub issued it, or it was issued for something else. */
type ChallengeState = "good" | "expired" | "used" | "foreign";

export interface Challenges {
  /** A challenge for exactly this text. It works once, for two minutes unless given. */
  issue(bound: string, forMs?: number): string;
  check(challenge: string, bound: string): ChallengeState;
  /** From now on the challenge is `used`. */
  use(challenge: string): void;
}

/** What makes challenges of one run work in the next. */
export interface KeptChallenges {
  readonly key: Buffer;
  /** Those that were used, and when they expire. */
  readonly used: Map<string, number>;
}

const [TIME_BYTES, RANDOM_BYTES, MAC_BYTES] = [6, 16, 32];
const HEAD_BYTES = TIME_BYTES + RANDOM_BYTES;

/**
 * A challenge carries its own end and a keyed hash of what it was issued for. The hub remembers only those that were used, so a process that
 * requests endless challenges neither fills the memory nor displaces the one that a person is about to confirm.
 */
export function createChallenges(
  now: () => number = () => performance.now(),
  { key = randomBytes(32), used = new Map() }: Partial<KeptChallenges> = {},
): Challenges {
  const macOf = (head: Buffer, bound: string): Buffer => createHmac("sha256", key).update(head).update(bound).digest();

  return {
    issue(bound, forMs = CHALLENGE_MS) {
      const head = randomBytes(HEAD_BYTES);
      head.writeUIntBE(Math.ceil(now() + forMs), 0, TIME_BYTES);
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
      used.set(challenge, Buffer.from(challenge, "base64url").readUIntBE(0, TIME_BYTES));
    },
  };
}
