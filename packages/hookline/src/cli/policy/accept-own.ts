import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorText, replacePrivately, stateFolder } from "@hookline/core/internal/machine";
import { inertText, shellWord } from "@hookline/core/internal/text";
import { emptyConfig } from "../../config/config.js";
import { configPath } from "../../config/config-path.js";
import { loadConfig, parseConfig } from "../../config/load-config.js";
import { findHooks } from "../../extensions/installed/find-hooks.js";
import { createTrust, type Trust } from "../../extensions/trust/trust.js";
import { PROTECT_FILE } from "../../hub/mode.js";
import type { Acceptance, Wanted } from "../../hub/policy/acceptance.js";
import { NOTED, readAcceptedPolicy } from "../../hub/policy/accepted-policy.js";
import { ruleDigest } from "../../hub/policy/policy-differences.js";
import type { PolicyAcceptAnswer } from "../../hub/protocol.js";
import { connectIfRunning } from "../hub-client.js";
import type { Terminal } from "../terminal.js";
import { storePath } from "../verify/verify-transcript-file.js";

/**
 * The operator's own command has made or shown a change, which counts as the acceptance of exactly this change. Without a hub, the record is written directly;
 * that counts in plain mode only. A change that cannot be accepted waits, and the operator is told.
 */
export async function acceptOwn(terminal: Terminal, name: string, wanted: readonly Wanted[]): Promise<void> {
  try {
    const hub = await connectIfRunning(terminal.env);
    if (hub === undefined) (await openOffline(terminal.env))?.accept(wanted);
    else await hub.post<PolicyAcceptAnswer>("/api/policy/accept", JSON.stringify({ changes: wanted }));
  } catch (error) {
    terminal.say(
      inertText(`${name} waits for your acceptance: ${errorText(error)} To accept it: hookline policy accept ${shellWord(name)}`),
    );
  }
}

/** These rules as a command has written them, or as missing where it has removed them. */
export async function writtenRules(text: string, path: string, names: readonly string[]): Promise<readonly Wanted[]> {
  const { config = emptyConfig } = await parseConfig(text, path);
  const byName = new Map(config.rules.map((rule) => [rule.name, rule]));
  return names.map((name) => ({ id: `rule:${name}`, digest: ruleDigest(name, byName.get(name)) }));
}

/** The record of the accepted policy while no hub runs. Undefined before the first start of a hub. */
export async function openOffline(env: NodeJS.ProcessEnv): Promise<Acceptance | undefined> {
  const state = stateFolder(env);
  if (readAcceptedPolicy(state).state === "none") return undefined;
  const { createAcceptance } = await import("../../hub/policy/acceptance.js");
  const path = configPath(env);
  const { config = emptyConfig } = await loadConfig(path);
  // Like a hub that lets everything wait: only what the operator names is accepted here.
  // A plain hub compares the record with this note. Under protect the store has one of its own, and what is written here waits.
  const folder = dirname(await storePath(undefined, env));
  const isPlain = !existsSync(join(state, PROTECT_FILE));
  const note = (noted: string): void => {
    if (isPlain) replacePrivately(folder, NOTED, `${noted}\n`);
  };
  const acceptance = createAcceptance({ state, mode: () => "protect", note, alarm: () => {}, onProblem: () => {} });
  const trust = createTrust(state);
  const found = await findHooks({ config: config.hooks, folder: join(dirname(path), "hooks"), trust, projects: consentedProjects(trust) });
  await acceptance.apply(
    config,
    found.filter((hook) => hook.state !== "untrusted" && hook.state !== "revoked"),
  );
  return acceptance;
}

/** None while the record of consent cannot be read. */
function consentedProjects(trust: Trust): readonly string[] {
  try {
    return trust.projects();
  } catch {
    return [];
  }
}
