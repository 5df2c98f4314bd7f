import { randomBytes, timingSafeEqual } from "node:crypto";
import type { PageLogins, PageScope, Scope } from "../parts.js";
import { createLoginCodes, digestOf } from "./login-codes.js";
import { readPrivateJson, writePrivateJson } from "./private-json.js";
import { createSessionEnds } from "./session-ends.js";

/** What is kept of a session: nothing that would let somebody in. */
interface Kept {
  readonly secret: string;
  readonly key: string;
  readonly scopes: readonly PageScope[];
  /** The origin it was made for: no other page of this machine's has it. */
  readonly url: string;
  readonly until: number;
}

/** What a link is for, and where it leads. */
type Offer = Pick<Kept, "scopes" | "url">;

export interface PageSessionsOptions {
  readonly state: string;
  /** Everybody was signed out. */
  readonly onAllEnded?: () => void;
  readonly onProblem: (text: string) => void;
  readonly now?: () => number;
}

const FILE = "logins.json";
const MAX_SESSIONS = 64;
export const SESSION_MS = 7 * 24 * 3_600_000;

/** Who has opened the page by a link. They outlive the hub, so that a page that is open goes on after a restart. */
export function createPageLogins({ state, onAllEnded, onProblem, now = Date.now }: PageSessionsOptions): PageLogins {
  const codes = createLoginCodes<Offer>(now);
  const sessions = new Map(readKept(readPrivateJson(state, FILE)).map((session) => [session.secret, session]));
  const ends = createSessionEnds(now);

  function drop(digest: string): boolean {
    const wasThere = sessions.delete(digest);
    if (wasThere) ends.tell(digest);
    return wasThere;
  }

  function keep(): void {
    for (const [digest, { until }] of sessions) if (until <= now()) drop(digest);
    for (const digest of [...sessions.keys()].slice(0, Math.max(0, sessions.size - MAX_SESSIONS))) drop(digest);
    try {
      writePrivateJson(state, FILE, [...sessions.values()]);
    } catch (error) {
      onProblem(`Who is logged in was not written down, and is forgotten when the hub ends: ${(error as Error).message}`);
    }
  }

  return {
    offer: (scopes, url) => codes.offer({ scopes, url }),
    redeem(code, url) {
      const offer = codes.take(code);
      if (offer === undefined || offer.url !== url) return undefined;
      const { scopes } = offer;
      const [secret, key] = [newSecret(), newSecret()];
      const digest = digestOf(secret);
      sessions.set(digest, { secret: digest, key: digestOf(key), scopes, url, until: now() + SESSION_MS });
      keep();
      return { secret, key, scopes };
    },
    scopesOf(secret, key, url) {
      const session = sessions.get(digestOf(secret));
      // When the hub moves, somebody else may have its old address, and what pages send there.
      if (session === undefined || session.until <= now() || session.url !== url) return undefined;
      return hasKey(session, key) ? new Set<Scope>(session.scopes) : READ;
    },
    isKeyOf(secret, key) {
      const session = sessions.get(digestOf(secret));
      return session !== undefined && hasKey(session, key);
    },
    end(secret) {
      if (drop(digestOf(secret))) keep();
    },
    endAll() {
      codes.clear();
      const count = [...sessions.keys()].filter(drop).length;
      keep();
      onAllEnded?.();
      return count;
    },
    onEnd(secret, listener) {
      const digest = digestOf(secret);
      const session = sessions.get(digest);
      return session === undefined ? () => {} : ends.watch(digest, session.until, listener);
    },
  };
}

const READ: ReadonlySet<Scope> = new Set<Scope>(["read"]);

function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

function hasKey({ key }: Kept, given: string | undefined): boolean {
  return given !== undefined && timingSafeEqual(Buffer.from(digestOf(given)), Buffer.from(key));
}

function readKept(value: unknown): Kept[] {
  return Array.isArray(value) ? value.filter(isKept) : [];
}

function isKept(value: unknown): value is Kept {
  const { secret, key, scopes, url, until } = (value ?? {}) as { readonly [Field in keyof Kept]?: unknown };
  const isDigest = (text: unknown): boolean => typeof text === "string" && /^[0-9a-f]{64}$/.test(text);
  const isScopes = Array.isArray(scopes) && scopes.every((scope) => scope === "read" || scope === "approve");
  return isDigest(secret) && isDigest(key) && isScopes && typeof url === "string" && typeof until === "number";
}
