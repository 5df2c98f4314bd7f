import { stateFolder } from "@hookline/core/internal/machine";
import { editCommand, inertJson, inertText } from "@hookline/core/internal/text";
import { configPath } from "../../config/config-path.js";
import { loadConfig } from "../../config/load-config.js";
import { type ConfigProblem, formatProblem } from "../../config/problem.js";
import { readPin } from "../../hub/bundles/pinned-bundle.js";
import type { BundleStatus } from "../../hub/protocol.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { agoText, dateText } from "../format/times.js";
import { connectIfRunning } from "../hub-client.js";
import type { Terminal } from "../terminal.js";

export const command: CommandModule<{ readonly json?: boolean }> = {
  define(command) {
    command
      .option("--json", "print JSON")
      .addHelpText("after", "\nExit code 1 when the policy is out of date, or its last bundle was refused.")
      .addHelpText("after", examples("hookline policy status", "hookline policy status --json | jq .bundle.serial"));
  },

  async run(terminal, { json = false }) {
    const hub = await connectIfRunning(terminal.env);
    const status = hub === undefined ? await readOffline(terminal.env) : await hub.get<BundleStatus>("/api/policy/bundle");
    const faults = await faultsOfTable(terminal.env);
    if (json) terminal.print(inertJson(JSON.stringify(status, undefined, 2)));
    else if (status.isConfigured || faults === undefined) printStatus(status, terminal, hub !== undefined);
    if (faults !== undefined) sayFaults(faults, status, terminal);
    return status.stale === undefined && status.refused === undefined && faults === undefined ? EXIT.ok : EXIT.failed;
  },
};

interface TableFaults {
  readonly path: string;
  /** At least one. */
  readonly problems: readonly ConfigProblem[];
}

/** What is wrong with the table `[policy]`: then it names no source. */
async function faultsOfTable(env: NodeJS.ProcessEnv): Promise<TableFaults | undefined> {
  const path = configPath(env);
  const { config, problems } = await loadConfig(path);
  const own = problems.filter(({ key }) => config === undefined || /^policy\b/.test(key));
  return own.length === 0 ? undefined : { path, problems: own };
}

function sayFaults({ path, problems }: TableFaults, { isConfigured }: BundleStatus, { say, paint }: Terminal): void {
  for (const problem of problems) say(paint("red", inertText(formatProblem(problem))));
  say(
    isConfigured
      ? "The table [policy] is wrong, so what you accepted before stays in force."
      : "The table [policy] is wrong, so no signed bundle is used: the policy consists of your own files.",
  );
  say(`Run: ${inertText(editCommand(path))}`);
}

/** What the next hub begins with. */
async function readOffline(env: NodeJS.ProcessEnv): Promise<BundleStatus> {
  const { config } = await loadConfig(configPath(env));
  const pin = readPin(stateFolder(env));
  const { from, channel, onStale } = config?.policy ?? {};
  const settings = {
    ...(from !== undefined && { from }),
    ...(channel !== undefined && { channel }),
    ...(onStale !== undefined && { onStale }),
  };
  if (pin === undefined) return { isConfigured: from !== undefined, ...settings };
  const { signer, line: _, ...bundle } = pin;
  const isExpired = Date.now() > pin.notAfter;
  return {
    isConfigured: true,
    ...settings,
    bundle: { ...bundle, signer: signer.name, fingerprint: signer.fingerprint },
    ...(isExpired && { stale: `The bundle was valid until ${dateText(pin.notAfter)}.` }),
  };
}

function printStatus(status: BundleStatus, { print, say, paint }: Terminal, isRunning: boolean): void {
  const { isConfigured, from, channel, onStale, bundle, stale, effect, failed, refused } = status;
  if (!isConfigured) return say("No signed bundle is configured: the policy consists of your own files. See docs/policy.md.");
  if (!isRunning) say("No hub runs. This is what it was last.");
  const row = (name: string, value: string): void => print(`${name.padEnd(10)} ${inertText(value)}`);
  if (from !== undefined) row("from", `${from}${channel === undefined ? "" : `, channel ${channel}`}`);
  if (bundle !== undefined) {
    row("bundle", `${bundle.name}, channel ${bundle.channel}, serial ${bundle.serial}`);
    row("signer", `${bundle.signer} (${bundle.fingerprint})`);
    row("valid", `until ${dateText(bundle.notAfter)}; when it is out of date: ${onStale ?? "keep"}`);
    row("active", `since ${agoText(bundle.activatedAt)}; confirmed ${agoText(bundle.confirmedAt)}`);
  }
  for (const fault of [failed, refused]) if (fault !== undefined) say(paint("yellow", inertText(fault)));
  if (stale !== undefined) say(paint("red", inertText(`${stale} ${effect ?? ""}`.trim())));
}
