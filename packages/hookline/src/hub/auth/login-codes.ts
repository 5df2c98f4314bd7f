import { createHash, randomBytes } from "node:crypto";

export interface LoginCodes<T> {
  /** A code that nobody can guess, good once and for a short time. */
  offer(what: T): string;
  /** What it was offered for; nothing when it is none, was used, or is too old. */
  take(code: string): T | undefined;
  /** None of those that are open is good any more. */
  clear(): void;
}

const LIFE_MS = 120_000;
/** Whoever asks for more gets them, and the oldest are void. */
const MAX_OPEN = 32;

/** Codes for links. Kept as digests: to look one up says nothing about the others. */
export function createLoginCodes<T>(now: () => number = Date.now): LoginCodes<T> {
  const open = new Map<string, { readonly what: T; readonly until: number }>();
  return {
    offer(what) {
      const code = randomBytes(32).toString("base64url");
      const [oldest] = open.keys();
      if (open.size >= MAX_OPEN && oldest !== undefined) open.delete(oldest);
      open.set(digestOf(code), { what, until: now() + LIFE_MS });
      return code;
    },
    take(code) {
      const digest = digestOf(code);
      const found = open.get(digest);
      open.delete(digest);
      return found === undefined || found.until <= now() ? undefined : found.what;
    },
    clear: () => open.clear(),
  };
}

export function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
