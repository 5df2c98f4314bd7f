import { type CommandModule, examples } from "../command-module.js";
import { accessChecks } from "../doctor/access-checks.js";
import { agentChecks } from "../doctor/agent-checks.js";
import { agentFileChecks } from "../doctor/agent-file-checks.js";
import type { Check } from "../doctor/check.js";
import { environmentChecks } from "../doctor/environment-checks.js";
import { readFacts } from "../doctor/facts.js";
import { folderChecks } from "../doctor/folder-checks.js";
import { hookChecks } from "../doctor/hook-checks.js";
import { hubChecks } from "../doctor/hub-checks.js";
import { mcpChecks } from "../doctor/mcp-checks.js";
import { reportChecks } from "../doctor/report-checks.js";
import { storeChecks } from "../doctor/store-checks.js";
import { trafficChecks } from "../doctor/traffic-checks.js";
import { RESTART } from "../find-hub.js";

export const command: CommandModule<{ readonly json?: boolean }> = {
  define(command) {
    command
      .option("--json", "print JSON")
      .addHelpText("after", "\nExit code 1 when a check fails. Changes nothing and prints no secrets.")
      .addHelpText("after", examples("hookline doctor", "hookline doctor --json | jq '.checks[] | select(.state == \"fail\")'"));
  },

  async run(terminal, { json = false }) {
    const facts = await readFacts(terminal.env);
    const fixOf = (fix: string): string => (facts.managed !== undefined && STARTS.includes(fix) ? MANAGED_START : fix);
    return reportChecks(checks, facts, terminal, { json, fixOf });
  },
};

const checks: readonly Check[] = [
  ...environmentChecks,
  ...folderChecks,
  ...hubChecks,
  ...accessChecks,
  ...storeChecks,
  ...trafficChecks,
  ...hookChecks,
  ...agentFileChecks,
  ...agentChecks,
  ...mcpChecks,
];

/** Commands that start a user's own hub. The managed one is a service. */
const STARTS: readonly string[] = ["hookline up --detach", RESTART];
const MANAGED_START = "sudo systemctl restart hookline";
