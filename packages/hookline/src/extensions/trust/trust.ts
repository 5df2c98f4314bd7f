import { join, resolve } from "node:path";
import { errorText, HookError } from "@hookline/core";
import { shellWord } from "@hookline/core/internal/text";
import { type Consent, createConsentStore, TRUST_FILE } from "./consent-file.js";
import { describeChanges } from "./describe-changes.js";
import { describeConsent } from "./describe-consent.js";
import { describeContents } from "./describe-contents.js";
import { findFault, mainFiles } from "./find-fault.js";
import { hashEntries } from "./hash-folder.js";
import { summarize } from "./manifest-summary.js";
import { hookOfKey, keyOf, listProjectHooks, type ProjectHook, resolveProject } from "./project-hooks.js";
import { type FolderEntry, readAlone, readFolder } from "./read-folder.js";
import { makeTrustedCopy, openTrustedCopy } from "./trusted-copy.js";

/** `rejected`: it cannot be trusted. */
export type TrustState = "untrusted" | "trusted" | "modified" | "revoked" | "rejected";

export interface TrustRow {
  readonly hook: ProjectHook;
  readonly state: TrustState;
  readonly consent?: Consent;
  /** Why it is modified or rejected. */
  readonly reason?: string;
}

/** What the user reviews. `accept` pins what was read for `text`, even if the folder changes in the meantime. */
export interface ConsentRequest {
  readonly hook: ProjectHook;
  readonly hash: string;
  readonly text: string;
  /** The content of its files. */
  readonly contents: string;
  /** The changes since the previous consent, if there was one and its copy still exists. */
  readonly changes?: string;
  accept(): Consent;
}

export interface Trust {
  /** The path of the record of consent. */
  readonly path: string;
  /**
   * The hooks of a project with their states, including removed hooks that the user consented to. Opens no file of a hook without consent.
   */
  look(projectFolder: string): readonly TrustRow[];
  /** The projects with hooks that the user consented to. */
  projects(): readonly string[];
  /** Reads a hook to show it to the user on request. */
  request(hook: ProjectHook): ConsentRequest;
  revoke(hook: ProjectHook): boolean;
  /** The folder that may be run: a copy, verified byte by byte. Throws `HL_UNTRUSTED` or `HL_TRUST_STORE`. */
  open(hook: ProjectHook): string;
  /** The copy that the user consented to, whatever happened to the hook since: it shows what the hook guards. Throws `HL_TRUST_STORE`. */
  openCopy(row: TrustRow): string;
  /** The user's own hooks (name → version) that were added or changed since the last review. */
  newSinceReview(hooks: { readonly [name: string]: string }): readonly string[];
  review(hooks: { readonly [name: string]: string }): void;
  /**
   * What is wrong with the record of consent although its backup can be used, and how to fix it. Throws `HL_TRUST_STORE` if neither can be
   * used.
   */
  fault(): HookError | undefined;
  /** Creates a backup of the record if there is none. */
  backUp(): void;
}

/** Consent for hooks of projects, kept in the state folder and never in the project. */
export function createTrust(stateFolder: string): Trust {
  const store = createConsentStore(stateFolder);
  const lookAt = (hook: ProjectHook) => rowOf(hook, store.find(hook.project, keyOf(hook)));
  const openChecked = (hook: ProjectHook, { hash }: Consent): string => {
    const folder = openTrustedCopy(stateFolder, hash);
    requireFit(hook, readFolder(folder));
    return folder;
  };
  const changesSince = (consent: Consent | undefined, entries: readonly FolderEntry[]): { readonly changes?: string } => {
    if (consent === undefined || consent.hash === hashEntries(entries)) return {};
    try {
      return { changes: describeChanges(readFolder(openTrustedCopy(stateFolder, consent.hash)), entries) };
    } catch {
      // The copy is missing, so there is nothing to compare with.
      return {};
    }
  };
  return {
    path: join(stateFolder, TRUST_FILE),
    look(projectFolder) {
      const listed = listProjectHooks(projectFolder);
      const project = resolveProject(projectFolder);
      const isListed = (key: string): boolean => listed.some((hook) => keyOf(hook) === key);
      const inForce = store.list().filter(({ revokedAt }) => revokedAt === undefined);
      // The project's path may have become a link to another project.
      const isGone = ({ project: place, hook }: Consent): boolean =>
        place === project ? !isListed(hook) : place === resolve(projectFolder);
      const gone = inForce.filter(isGone).map((consent) => goneRow(hookOfKey(consent.project, consent.hook), consent));
      const rows = [...listed.map(lookAt), ...gone];
      return [...rows.filter(isOfConfig), ...rows.filter((row) => !isOfConfig(row))];
    },
    projects: () => [...new Set(store.list().flatMap(({ project, revokedAt }) => (revokedAt === undefined ? [project] : [])))].sort(),
    request(hook) {
      const entries = readHook(hook);
      requireFit(hook, entries);
      const summary = hook.kind === "config" ? undefined : summarize(entries);
      const [hash, text] = [hashEntries(entries), describeConsent(hook, entries)];
      return {
        hook,
        hash,
        text,
        contents: describeContents(entries, hook.kind === "config" ? entries.map(({ name }) => name) : mainFiles(entries, summary)),
        ...changesSince(store.find(hook.project, keyOf(hook)), entries),
        accept() {
          makeTrustedCopy(stateFolder, entries);
          const said = { hash, at: new Date().toISOString(), shown: text, ...(summary !== undefined && { hooks: summary.hooks }) };
          const consent = { project: hook.project, hook: keyOf(hook), ...said };
          store.put(consent);
          return consent;
        },
      };
    },
    revoke: (hook) => store.revoke(hook.project, keyOf(hook)),
    open(hook) {
      const row = lookAt(hook);
      if (row.state !== "trusted" || row.consent === undefined) throw untrusted([row]);
      return openChecked(hook, row.consent);
    },
    openCopy({ hook, consent }) {
      if (consent === undefined) throw untrusted([{ hook, state: "untrusted" }]);
      return openChecked(hook, consent);
    },
    newSinceReview(hooks) {
      const { reviewed } = store;
      return Object.keys(hooks)
        .filter((name) => !Object.hasOwn(reviewed, name) || reviewed[name] !== hooks[name])
        .sort();
    },
    review: (hooks) => store.review(hooks),
    fault: () => store.fault(),
    backUp: () => store.backUp(),
  };
}

/** The hooks that may run. Without a person to ask, untrusted hooks are an error, unless they are to be left out. */
export function requireTrust(
  rows: readonly TrustRow[],
  { headless, skipUntrusted = false }: { readonly headless: boolean; readonly skipUntrusted?: boolean },
): readonly ProjectHook[] {
  const missing = rows.filter(({ state }) => state === "untrusted" || state === "modified");
  if (headless && !skipUntrusted && missing.length > 0) throw untrusted(missing);
  return rows.filter(({ state }) => state === "trusted").map(({ hook }) => hook);
}

function rowOf(hook: ProjectHook, consent: Consent | undefined): TrustRow {
  const isConsented = consent !== undefined && consent.revokedAt === undefined;
  // Replacing a guard with a link does not disable it: it counts as modified.
  if (hook.fault !== undefined && !isConsented) return { hook, state: "rejected", reason: hook.fault };
  if (consent === undefined) return { hook, state: "untrusted" };
  if (consent.revokedAt !== undefined) return { hook, state: "revoked", consent };
  try {
    const isSame = hashEntries(readHook(hook)) === consent.hash;
    return isSame ? { hook, state: "trusted", consent } : { hook, state: "modified", consent, reason: "it was changed since consent" };
  } catch (error) {
    return { hook, state: "modified", consent, reason: errorText(error) };
  }
}

/** Removing a guard from the project does not disable it, even if the agent does so. */
function goneRow(hook: ProjectHook, consent: Consent): TrustRow {
  const reason = `it was removed from the project; the copy that you consented to still runs. To end that: hookline hooks revoke ${shellWord(hook.name)} --project ${shellWord(hook.project)}`;
  return { hook, state: "trusted", consent, reason };
}

function isOfConfig({ hook }: TrustRow): boolean {
  return hook.kind === "config";
}

function untrusted(rows: readonly TrustRow[]): HookError {
  const [first] = rows;
  const names = rows.map(({ hook, state }) => `"${hook.name}" (${state})`).join(", ");
  const message = `Hooks of the project "${first?.hook.project}" do not run, because you have not consented to their current version: ${names}.`;
  const fix = { run: `hookline hooks trust --project ${shellWord(first?.hook.project ?? "")}` };
  return new HookError("HL_UNTRUSTED", message, { fix, failure: "untrusted" });
}

/** Everything that a project's hook consists of. Throws `HL_TRUST_FOLDER`. */
function readHook(hook: ProjectHook): readonly FolderEntry[] {
  if (hook.fault !== undefined)
    throw new HookError("HL_TRUST_FOLDER", `"${hook.path}" is not a hook: ${hook.fault}.`, { failure: "untrusted" });
  return hook.kind === "config" ? readAlone(hook.path) : readFolder(hook.path);
}

/**
 * Throws `HL_TRUST_FOLDER` for a hook that cannot be trusted. Also checks copies: an older version may have accepted what this one does
 * not.
 */
function requireFit(hook: ProjectHook, entries: readonly FolderEntry[]): void {
  const found = findFault(hook, entries);
  if (found === undefined) return;
  const { fault, fix } = found;
  throw new HookError("HL_TRUST_FOLDER", `The hook "${hook.path}" cannot be trusted: ${fault}.`, { fix, failure: "untrusted" });
}
