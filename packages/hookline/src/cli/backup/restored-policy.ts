import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { emptyConfig } from "../../config/config.js";
import { loadConfig } from "../../config/load-config.js";
import { findHooks } from "../../extensions/installed/find-hooks.js";
import { createTrust } from "../../extensions/trust/trust.js";
import { differencesOf } from "../../hub/policy/acceptance.js";
import { nothingAccepted, readAcceptedPolicy } from "../../hub/policy/accepted-policy.js";
import { createHookChanges } from "../../hub/policy/hook-changes.js";
import type { PolicyChange } from "../../hub/protocol.js";
import type { Places } from "./backup-files.js";

/** The rules, hooks and settings that would come, change and go with a backup, against what is accepted here. Writes nothing. */
export async function policyChanges(backup: string, { config, state }: Places): Promise<readonly PolicyChange[]> {
  const read = readAcceptedPolicy(state);
  const policy = read.state === "found" ? read.policy : nothingAccepted;
  const { config: next = emptyConfig } = await loadConfig(join(backup, "config", "hookline.toml"));
  const found = await findHooks({
    config: next.hooks,
    folder: join(backup, "config", "hooks"),
    trust: createTrust(state),
    projects: [],
  });
  const { differences } = createHookChanges({ state, onChanged: () => {} }).compare(policy, next, found, false);
  // Consent is for a project's own folder, and a restore leaves hook folders where they are that the backup does not have.
  const own = differencesOf({ ...policy, consents: [] }, next, []);
  return [...own, ...differences]
    .map(({ change }) => change)
    .filter((change) => change.change !== "removed" || !staysThere(change, config));
}

function staysThere({ id, kind }: PolicyChange, config: string): boolean {
  const path = id.replace(/^hook:/, "");
  return kind === "hook" && dirname(path) === "hooks" && existsSync(join(config, "hooks", basename(path)));
}
