import { type Consent, hasBackup, readTrustFile, type TrustFile, writeTrustFile } from "./consent-file.js";
import { withStoreLock } from "./store-lock.js";

export interface ConsentStore {
  find(project: string, hook: string): Consent | undefined;
  list(): readonly Consent[];
  /** Replaces what was said about the same hook of the same project. */
  put(consent: Consent): void;
  /** Says whether there was something to take back. */
  revoke(project: string, hook: string): boolean;
  readonly reviewed: TrustFile["reviewed"];
  review(hooks: TrustFile["reviewed"]): void;
  /** What is wrong with the record, though its backup can be used, and the way out. */
  fault(): string | undefined;
  /** Makes a backup where there is none. */
  backUp(): void;
}

/** The record of consent in the state folder: 0600, written whole or not at all, read anew at each question. */
export function createConsentStore(stateFolder: string): ConsentStore {
  const load = () => readTrustFile(stateFolder);
  const change = (make: (file: TrustFile) => TrustFile) => withStoreLock(stateFolder, () => writeTrustFile(stateFolder, make(load())));
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
