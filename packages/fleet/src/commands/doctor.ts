import type { CommandModule, FleetTools } from "hookline/internal/fleet";
import type { AdminChoice } from "../credentials/joined.js";
import { adminOptions } from "./context.js";
import { fleetChecks } from "./doctor-checks.js";
import { readFacts } from "./doctor-facts.js";

export function doctorCommand(tools: FleetTools): CommandModule<AdminChoice & { readonly json?: boolean }> {
  const { examples } = tools;
  return {
    define(command) {
      adminOptions(command, tools)
        .option("--json", "print JSON")
        .addHelpText("after", "\nChecks what the credentials of this machine can see: the admin's see everything. Changes nothing.")
        .addHelpText("after", examples("hookline fleet doctor", "hookline fleet doctor --json"));
    },

    async run(terminal, { json = false, ...choice }) {
      const facts = await readFacts(tools, terminal.env, choice);
      try {
        return await tools.reportChecks(fleetChecks, facts, terminal, { json });
      } finally {
        await facts.close();
      }
    },
  };
}
