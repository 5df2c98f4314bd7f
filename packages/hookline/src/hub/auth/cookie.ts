const NAME = "hookline";
const PAIR = new RegExp(`(?:^|;)[ \\t]*${NAME}=([\\w-]{1,128})[ \\t]*(?=;|$)`, "g");
/** A server on another port of this host can set cookies of that name, too, one for each part of a path: none of them may hide the right one. */
const MAX_TRIED = 32;

/** The secrets that a request's cookies may hold. */
export function readSecrets(header: string | undefined): readonly string[] {
  return [...(header ?? "").matchAll(PAIR)].slice(0, MAX_TRIED).map(([, secret = ""]) => secret);
}

/** No script sees it, and no other site's page makes the browser send it. */
export function cookieFor(secret: string, maxAgeMs: number): string {
  return `${NAME}=${secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${Math.floor(maxAgeMs / 1_000)}`;
}
