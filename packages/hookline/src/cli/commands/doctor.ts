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
import { repairStore } from "../doctor/repair-store.js";
import { reportChecks } from "../doctor/report-checks.js";
import { storeChecks } from "../doctor/store-checks.js";
import { trafficChecks } from "../doctor/traffic-checks.js";
import { RESTART } from "../find-hub.js";

export const command: CommandModule<{ readonly json?: boolean; readonly repair?: boolean }> = {
  define(command) {
    command
      .option("--json", "print JSON")
      .option("--repair", "put what can be read of a damaged store into a new one; the damaged files are kept")
      .addHelpText("after", "\nExit code 1 when a check fails. Without --repair it changes nothing. It prints no secrets.")
      .addHelpText(
        "after",
        examples("hookline doctor", "hookline doctor --json | jq '.checks[] | select(.state == \"fail\")'", "hookline doctor --repair"),
      );
  },

  async run(terminal, { json = false, repair = false }) {
    const facts = await readFacts(terminal.env);
    if (repair) await repairStore(facts, terminal);
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
