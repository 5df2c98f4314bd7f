import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { HookError } from "@hookline/core";
import { isOwn, openFolder, replacePrivately } from "@hookline/core/discover";
import { withStoreLock } from "./store-lock.js";

const TRUST_FILE = "trust.json";
const MAX_BYTES = 4 * 1_048_576;
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/** What somebody agreed to. */
export interface Consent {
  /** The project's path, resolved; another place needs another consent. */
  readonly project: string;
  readonly hook: string;
  /** Of the whole folder. */
  readonly hash: string;
  /** ISO time. */
  readonly at: string;
  /** The text that was agreed to. */
  readonly shown: string;
  /** Taken back at that time. */
  readonly revokedAt?: string;
}

interface TrustFile {
  readonly consents: readonly Consent[];
  /** The user's own hooks as last reviewed: name → what was seen. */
  readonly reviewed: { readonly [name: string]: string };
}

export interface ConsentStore {
  find(project: string, hook: string): Consent | undefined;
  list(): readonly Consent[];
  /** Replaces what was said about the same hook of the same project. */
  put(consent: Consent): void;
  /** Says whether there was something to take back. */
  revoke(project: string, hook: string): boolean;
  readonly reviewed: TrustFile["reviewed"];
  review(hooks: TrustFile["reviewed"]): void;
}

/** The record of consent in the state folder: 0600, written whole or not at all, read anew at each question. */
export function createConsentStore(stateFolder: string): ConsentStore {
  const change = (make: (file: TrustFile) => TrustFile) => withStoreLock(stateFolder, () => save(stateFolder, make(load(stateFolder))));
  const isFor = (project: string, hook: string) => (consent: Consent) => consent.project === project && consent.hook === hook;
  return {
    find: (project, hook) => load(stateFolder).consents.find(isFor(project, hook)),
    list: () => load(stateFolder).consents,
    put: (consent) =>
      change((file) => ({
        ...file,
        consents: [...file.consents.filter((other) => !isFor(consent.project, consent.hook)(other)), consent],
      })),
    revoke(project, hook) {
      const isThere = load(stateFolder).consents.some((consent) => isFor(project, hook)(consent) && consent.revokedAt === undefined);
      const revokedAt = new Date().toISOString();
      if (isThere)
        change((file) => ({
          ...file,
          consents: file.consents.map((consent) => (isFor(project, hook)(consent) ? { ...consent, revokedAt } : consent)),
        }));
      return isThere;
    },
    get reviewed() {
      return load(stateFolder).reviewed;
    },
    review: (reviewed) => change((file) => ({ ...file, reviewed })),
  };
}

/** A file that is not there says nothing; one that others could write, or that is broken, is an error and never an agreement. */
function load(stateFolder: string): TrustFile {
  const path = join(stateFolder, TRUST_FILE);
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | NO_FOLLOW | (constants.O_NONBLOCK ?? 0));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return { consents: [], reviewed: {} };
    throw unusable(path, (cause as Error).message, cause);
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.size > MAX_BYTES) throw unusable(path, "it is no file of ours");
    if (!isOwn(stats) || (process.platform !== "win32" && (stats.mode & 0o077) !== 0))
      throw unusable(path, `others can get at it. Look at it, then run: chmod 600 '${path}'`);
    return check(JSON.parse(readFileSync(fd, "utf8")), path);
  } catch (cause) {
    throw cause instanceof HookError ? cause : unusable(path, "it is not JSON", cause);
  } finally {
    closeSync(fd);
  }
}

function check(document: unknown, path: string): TrustFile {
  const { consents, reviewed } = (document ?? {}) as { readonly consents?: unknown; readonly reviewed?: unknown };
  const isText = (value: unknown) => typeof value === "string";
  const isConsent = (consent: Partial<Consent> | null) =>
    typeof consent === "object" && [consent?.project, consent?.hook, consent?.hash, consent?.at, consent?.shown].every(isText);
  if (!Array.isArray(consents) || !consents.every(isConsent)) throw unusable(path, "it is no record of consent");
  if (typeof reviewed !== "object" || reviewed === null || !Object.values(reviewed).every(isText))
    throw unusable(path, "it is no record of consent");
  return { consents: consents as Consent[], reviewed: reviewed as TrustFile["reviewed"] };
}

function save(stateFolder: string, file: TrustFile): void {
  const folder = openFolder(stateFolder);
  const path = join(folder, TRUST_FILE);
  try {
    replacePrivately(folder, TRUST_FILE, `${JSON.stringify(file, undefined, 2)}\n`);
  } catch (cause) {
    throw unusable(path, `it cannot be written: ${(cause as Error).message}`, cause);
  }
}

function unusable(path: string, why: string, cause?: unknown): HookError {
  return new HookError("HL_TRUST_STORE", `The record of consent "${path}" cannot be used: ${why}.`, {
    failure: "untrusted",
    ...(cause !== undefined && { cause }),
  });
}
