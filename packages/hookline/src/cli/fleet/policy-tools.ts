import { stateFolder } from "@hookline/core/internal/machine";
import { bundleText, packBundle, readBundle } from "../../bundles/bundle.js";
import { readBundleRules } from "../../bundles/bundle-content.js";
import { configPath } from "../../config/config-path.js";
import { loadConfig } from "../../config/load-config.js";
import { FLEET_LINE, readFloor, removePinned } from "../../hub/bundles/pinned-bundle.js";
import { acceptFleetFile } from "../../hub/fleet/open-fleet.js";
import { readSigningKey } from "../../rules/pack/signature.js";
import { buildTested, DEFAULT_VALID, endOf, policyName } from "../policy/bundle.js";
import { backtestRules } from "../rules/backtest.js";
import { printBacktest } from "../rules/backtest-report.js";

/** What `hookline fleet policy` uses to make, read and try bundles. Loaded when it is needed. */
export const policyTools = {
  DEFAULT_VALID,
  endOf,
  policyName,
  buildTested,
  packBundle,
  readBundle,
  readBundleRules,
  bundleText,
  readSigningKey,
  backtestRules,
  printBacktest,
  joinFleet,
  leaveFleet,
} as const;

/** What `fleet join` does while no hub runs: the hub uses the credential at its next start. */
async function joinFleet(env: NodeJS.ProcessEnv): Promise<void> {
  await acceptFleetFile(await foldersOf(env));
}

/** What `fleet leave` does while no hub runs: the fleet's policy no longer counts at the next start. */
async function leaveFleet(env: NodeJS.ProcessEnv): Promise<void> {
  const folders = await foldersOf(env);
  if (readFloor(folders, FLEET_LINE) !== undefined) removePinned(folders);
  await acceptFleetFile(folders);
}

async function foldersOf(env: NodeJS.ProcessEnv): Promise<{ readonly state: string; readonly data: string }> {
  const state = stateFolder(env);
  const { config } = await loadConfig(configPath(env));
  return { state, data: config?.hub.data ?? state };
}

export type PolicyTools = typeof policyTools;
