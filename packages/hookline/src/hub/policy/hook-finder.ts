import { existsSync } from "node:fs";
import { join } from "node:path";
import { errorText } from "@hookline/core";
import type { Config } from "../../config/config.js";
import { filesOf } from "../../extensions/installed/config-hook.js";
import { findOwnHooks, findProjectHooks } from "../../extensions/installed/find-hooks.js";
import { versionOf, versionsIn } from "../../extensions/installed/folder-version.js";
import type { InstalledHook } from "../../extensions/installed/installed-hook.js";
import { unreadableRecord } from "../../extensions/installed/unreadable-record.js";
import { createTrust } from "../../extensions/trust/trust.js";

export interface HookFinderOptions {
  /** Of the user's hook folders. */
  readonly folder: string;
  /** The state folder, with the record of consent. */
  readonly state: string;
  readonly onProblem: (text: string) => void;
}

/** Finds the hooks that belong on the hub's bus. */
export interface HookFinder {
  find(config: Config): Promise<readonly InstalledHook[]>;
  /** Everything could be read when they were found last. */
  readonly isWhole: boolean;
  /** Another text when it is worth finding them again. */
  signature(config: Config): string;
}

export function createHookFinder({ folder, state, onProblem }: HookFinderOptions): HookFinder {
  const trust = createTrust(state);
  const record = join(state, "trust.json");
  let fromProjects: readonly InstalledHook[] | undefined;
  let fault: string | undefined;
  let isWhole = true;

  /** Once, as long as it stays the same. */
  function tell(found: string | undefined): void {
    if (found !== undefined && found !== fault) onProblem(found);
    fault = found;
  }

  /** Without one the record counts all the same. */
  function backUp(): void {
    try {
      trust.backUp();
    } catch (error) {
      onProblem(`There is no backup of the record of consent. ${errorText(error)}`);
    }
  }

  async function consented(): Promise<readonly InstalledHook[]> {
    const projects = trust.projects();
    if (projects.length === 0 && (fromProjects?.length ?? 0) > 0 && !existsSync(record))
      throw new Error(`The record of consent "${record}" is gone.`);
    const hooks = await findProjectHooks({ trust, projects });
    const found = trust.fault();
    tell(found && errorText(found));
    if (fault === undefined) backUp();
    return hooks.filter(({ state: how }) => how !== "untrusted" && how !== "revoked");
  }

  return {
    async find(config) {
      const own = await findOwnHooks({ config: config.hooks, folder });
      try {
        fromProjects = await consented();
        isWhole = [...own, ...fromProjects].every(({ state: how, broken }) => how !== "broken" && broken.length === 0);
      } catch (error) {
        isWhole = false;
        if (fromProjects === undefined) return [...own, unreadableRecord(record, error as Error)];
        // Consent stays valid until a readable record says otherwise.
        tell(`${errorText(error)} The hooks of projects stay as they were.`);
      }
      return [...own, ...fromProjects];
    },
    get isWhole() {
      return isWhole;
    },
    signature(config) {
      const files = [...config.hooks.flatMap(filesOf), ...(fromProjects ?? []).map(({ path }) => path), record, `${record}.bak`];
      return [versionsIn(folder), ...files.map(versionOf), versionsIn(join(state, "trusted"))].join("\n");
    },
  };
}
