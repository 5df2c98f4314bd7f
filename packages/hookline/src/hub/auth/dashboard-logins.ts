import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { readPrivateJson, writePrivateJson } from "@hookline/core/internal/machine";
import type { DashboardLogins, DashboardScope, Scope } from "../parts.js";

/** The stored part of a login: digests only, which cannot be used to sign in. */
interface Kept {
  readonly secret: string;
  readonly key: string;
  readonly scopes: readonly DashboardScope[];
  /** The origin it was made for. It is void at every other origin. */
  readonly url: string;
  readonly until: number;
  /** The person of the fleet who signed in. */
  readonly person?: string;
}

/** The scopes of a link, and the origin it leads to. */
type Offer = Pick<Kept, "scopes" | "url">;

export interface DashboardLoginsOptions {
  readonly state: string;
  /** Called when all dashboards were signed out. */
  readonly onAllEnded?: () => void;
  readonly onProblem: (text: string) => void;
  readonly now?: () => number;
}

const FILE = "logins.json";
const MAX_SESSIONS = 256;
export const SESSION_MS = 7 * 24 * 3_600_000;
/** A person of a fleet signs in again every working day. */
const PERSON_MS = 12 * 3_600_000;

/** The logins of dashboards. They outlive the hub, so an open dashboard keeps working after a restart. */
export function createDashboardLogins({ state, onAllEnded, onProblem, now = Date.now }: DashboardLoginsOptions): DashboardLogins {
  const codes = createLoginCodes<Offer>(now);
  const sessions = new Map(readKept(readPrivateJson(state, FILE)).map((session) => [session.secret, session]));
  const ends = createLoginEnds(now);

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
      onProblem(`The logins of dashboards could not be saved, so they end with the hub: ${(error as Error).message}`);
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
    begin(who, url) {
      const [secret, key] = [newSecret(), newSecret()];
      const digest = digestOf(secret);
      const { ms, ...rights }: Pick<Kept, "scopes" | "person"> & { readonly ms: number } =
        who === "phone" ? { scopes: ["read", "approve"], ms: SESSION_MS } : { scopes: ["read"], person: who.person, ms: PERSON_MS };
      sessions.set(digest, { secret: digest, key: digestOf(key), url, until: now() + ms, ...rights });
      keep();
      return { secret, key, ms };
    },
    personOf(secret, url) {
      const session = sessions.get(digestOf(secret));
      return session === undefined || session.until <= now() || session.url !== url ? undefined : session.person;
    },
    keepPeople(isThere) {
      const gone = [...sessions.values()].filter(({ person }) => person !== undefined && !isThere(person));
      for (const { secret } of gone) drop(secret);
      if (gone.length > 0) keep();
    },
    scopesOf(secret, key, url) {
      const session = sessions.get(digestOf(secret));
      // When the hub moves, another program may take over its old address and receive the dashboards' requests there.
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
    endAt(url) {
      const gone = [...sessions.values()].filter((session) => session.url === url);
      for (const { secret } of gone) drop(secret);
      if (gone.length > 0) keep();
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
  const { secret, key, scopes, url, until, person } = (value ?? {}) as { readonly [Field in keyof Kept]?: unknown };
  const isDigest = (text: unknown): boolean => typeof text === "string" && /^[0-9a-f]{64}$/.test(text);
  const isScopes = Array.isArray(scopes) && scopes.every((scope) => scope === "read" || scope === "approve");
  return (
    isDigest(secret) &&
    isDigest(key) &&
    isScopes &&
    typeof url === "string" &&
    typeof until === "number" &&
    (person === undefined || typeof person === "string")
  );
}

/** Codes for links. They are kept as digests, so looking one up reveals nothing about the others. */
interface LoginCodes<T> {
  /** A code that cannot be guessed. It works once, for a short time. */
  offer(what: T): string;
  /** The value it was offered for; undefined for a code that is unknown, used or too old. */
  take(code: string): T | undefined;
  /** Makes all open codes void. */
  clear(): void;
}

const CODE_LIFE_MS = 120_000;
/** Further codes replace the oldest ones. */
const MAX_OPEN_CODES = 32;

function createLoginCodes<T>(now: () => number): LoginCodes<T> {
  const open = new Map<string, { readonly what: T; readonly until: number }>();
  return {
    offer(what) {
      const code = newSecret();
      const [oldest] = open.keys();
      if (open.size >= MAX_OPEN_CODES && oldest !== undefined) open.delete(oldest);
      open.set(digestOf(code), { what, until: now() + CODE_LIFE_MS });
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

function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** Listeners for the end of a login. */
interface LoginEnds {
  /** The login ends now. */
  tell(digest: string): void;
  /** Calls the listener once: on `tell`, or when the login expires. Returns a function that stops watching. */
  watch(digest: string, until: number, listener: () => void): () => void;
}

/** The longest delay of Node's timers. */
const MAX_DELAY_MS = 2 ** 31 - 1;

function createLoginEnds(now: () => number): LoginEnds {
  const watchers = new Map<string, Set<() => void>>();

  function tell(digest: string): void {
    for (const end of [...(watchers.get(digest) ?? [])]) end();
  }

  return {
    tell,
    watch(digest, until, listener) {
      const own = watchers.get(digest) ?? new Set();
      watchers.set(digest, own);
      const timer = setTimeout(() => end(), Math.min(MAX_DELAY_MS, Math.max(0, until - now()))).unref();
      const stop = (): void => {
        clearTimeout(timer);
        own.delete(end);
        if (own.size === 0 && watchers.get(digest) === own) watchers.delete(digest);
      };
      const end = (): void => {
        stop();
        listener();
      };
      own.add(end);
      return stop;
    },
  };
}
