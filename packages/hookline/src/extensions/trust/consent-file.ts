import { join } from "node:path";
import { type Fix, HookError } from "@hookline/core";
import { findFolderFault, openFolder, readPrivately, replacePrivately } from "@hookline/core/internal/machine";
import { quoted } from "@hookline/core/internal/text";
import { withLock } from "../../machine/lock.js";
import type { HookSpec } from "../handler-source.js";
import { CONFIG_KEY, CONFIG_NAME } from "./project-hooks.js";

export const TRUST_FILE = "trust.json";
const BACKUP_FILE = `${TRUST_FILE}.bak`;
const LOCK_FILE = "consent.lock";
const MAX_BYTES = 4 * 1_048_576;

/** What the user consented to. */
export interface Consent {
  /** The resolved path of the project. Another location needs another consent. */
  readonly project: string;
  /** Its key, which distinguishes a folder of that name from the project's own file. */
  readonly hook: string;
  /** The hash of the whole folder. */
  readonly hash: string;
  /** ISO time. */
  readonly at: string;
  /** The text that the user consented to. */
  readonly shown: string;
  /** The events it handles, which stay closed if its copy is lost. */
  readonly hooks?: readonly HookSpec[];
  /** When the consent was revoked. */
  readonly revokedAt?: string;
}

interface TrustFile {
  readonly consents: readonly Consent[];
  /** The user's own hooks at the last review: name → version. */
  readonly reviewed: { readonly [name: string]: string };
}

interface ReadTrust extends TrustFile {
  /** Why the backup was read. */
  readonly fault?: HookError;
}

/**
 * Reads the record. A broken file, or one that others could write, never counts as consent: then the backup is used, which was written
 * together with it. Throws `HL_TRUST_STORE` if neither can be used. If there never was a record, nothing is trusted.
 */
function readTrustFile(stateFolder: string): ReadTrust {
  const path = join(stateFolder, TRUST_FILE);
  const backup = join(stateFolder, BACKUP_FILE);
  const main = tryRead(stateFolder, TRUST_FILE);
  if (typeof main === "object") return main;
  const copy = tryRead(stateFolder, BACKUP_FILE);
  if (typeof copy === "object")
    return {
      ...copy,
      fault: unusable(`The record of consent "${path}" ${main}. Its backup is used until the record is fixed.`, {
        run: restore(backup, path),
      }),
    };
  if (main === GONE && copy === GONE) return { consents: [], reviewed: {} };
  const folderFault = findFolderFault(stateFolder);
  if (folderFault !== undefined) throw unusable(`The record of consent "${path}" ${main}.`, folderFault.fix);
  const message = `The record of consent "${path}" ${main}, and its backup "${backup}" ${copy}. Without them, every hook needs your consent again.`;
  throw unusable(message, { run: `rm -f ${quoted(path)} ${quoted(backup)}` });
}

function unusable(message: string, fix: Fix | undefined): HookError {
  return new HookError("HL_TRUST_STORE", message, { fix, failure: "untrusted" });
}

function writeTrustFile(stateFolder: string, { consents, reviewed }: TrustFile): void {
  const text = `${JSON.stringify({ consents, reviewed }, undefined, 2)}\n`;
  try {
    const folder = openFolder(stateFolder);
    for (const name of [TRUST_FILE, BACKUP_FILE]) replacePrivately(folder, name, text);
  } catch (cause) {
    const message = `The record of consent "${join(stateFolder, TRUST_FILE)}" cannot be written: ${(cause as Error).message}.`;
    throw new HookError("HL_TRUST_STORE", message, { failure: "untrusted", cause });
  }
}

/** Records of older versions have none. */
function hasBackup(stateFolder: string): boolean {
  return typeof tryRead(stateFolder, BACKUP_FILE) === "object";
}

const GONE = "is gone";

/** The record, or what is wrong with the file. */
function tryRead(folder: string, name: string): TrustFile | string {
  const read = readPrivately(folder, name, { maxBytes: MAX_BYTES });
  if (read.state === "none") return GONE;
  if (read.state !== "found") return `cannot be used: ${read.reason}`;
  try {
    return check(JSON.parse(read.bytes.toString("utf8"))) ?? "cannot be used: it is not a record of consent";
  } catch {
    return "cannot be used: it is not JSON";
  }
}

function check(document: unknown): TrustFile | undefined {
  const { consents, reviewed } = (document ?? {}) as { readonly consents?: unknown; readonly reviewed?: unknown };
  if (!Array.isArray(consents) || !consents.every(isConsent)) return undefined;
  if (!isRecord(reviewed) || !Object.values(reviewed).every(isText)) return undefined;
  return { consents: consents.map(withKey), reviewed: reviewed as TrustFile["reviewed"] };
}

function isConsent(consent: unknown): consent is Consent {
  if (!isRecord(consent)) return false;
  const { project, hook, hash, at, shown, hooks = [] } = consent;
  const isHook = (spec: unknown): boolean => isRecord(spec) && isText(spec.event);
  return [project, hook, hash, at, shown].every(isText) && Array.isArray(hooks) && hooks.every(isHook);
}

/** Older records use the bare name of the project's file. A folder could have the same name, but its consent lists its events. */
function withKey(consent: Consent): Consent {
  const isFile = consent.hook === CONFIG_NAME && consent.hooks === undefined;
  return isFile ? { ...consent, hook: CONFIG_KEY } : consent;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null;
}

function restore(from: string, to: string): string {
  return `rm -f ${quoted(to)} && cp -p ${quoted(from)} ${quoted(to)}`;
}

interface ConsentStore {
  find(project: string, hook: string): Consent | undefined;
  list(): readonly Consent[];
  /** Replaces an earlier consent for the same hook of the same project. */
  put(consent: Consent): void;
  /** Returns whether there was a consent to revoke. */
  revoke(project: string, hook: string): boolean;
  readonly reviewed: TrustFile["reviewed"];
  review(hooks: TrustFile["reviewed"]): void;
  /** What is wrong with the record although its backup can be used, and how to fix it. */
  fault(): HookError | undefined;
  /** Creates a backup if there is none. */
  backUp(): void;
}

/** Two processes that record consent at once must not lose one of the answers. */
function busy(path: string): HookError {
  return new HookError("HL_TRUST_STORE", `Another process is changing the record of consent: it holds "${path}".`, {
    fix: "Run this again.",
  });
}

/** The record of consent in the state folder. It has mode 0600, is written atomically and read again for each question. */
export function createConsentStore(stateFolder: string): ConsentStore {
  const load = () => readTrustFile(stateFolder);
  const change = (make: (file: TrustFile) => TrustFile) =>
    withLock(join(openFolder(stateFolder), LOCK_FILE), busy, () => writeTrustFile(stateFolder, make(load())));
  const isFor = (project: string, hook: string) => (consent: Consent) => consent.project === project && consent.hook === hook;
  return {
    find: (project, hook) => load().consents.find(isFor(project, hook)),
    list: () => load().consents,
    put: (consent) =>
      change((file) => ({
        ...file,
        consents: [...file.consents.filter((other) => !isFor(consent.project, consent.hook)(other)), consent],
      })),
    revoke(project, hook) {
      const isThere = load().consents.some((consent) => isFor(project, hook)(consent) && consent.revokedAt === undefined);
      const revokedAt = new Date().toISOString();
      if (isThere)
        change((file) => ({
          ...file,
          consents: file.consents.map((consent) => (isFor(project, hook)(consent) ? { ...consent, revokedAt } : consent)),
        }));
      return isThere;
    },
    get reviewed() {
      return load().reviewed;
    },
    review: (reviewed) => change((file) => ({ ...file, reviewed })),
    fault: () => load().fault,
    backUp() {
      if (load().consents.length > 0 && !hasBackup(stateFolder)) change((file) => file);
    },
  };
}
