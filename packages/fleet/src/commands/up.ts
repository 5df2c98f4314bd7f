import { hostname } from "node:os";
import { HookError } from "@hookline/core/internal/machine";
import type { CommandModule, FleetTools } from "hookline/internal/fleet";
import { type AdminChoice, findTenant } from "../credentials/joined.js";
import { adminOptions, applyChange, changeTenant, personName } from "./context.js";
import { giveToHub, joinedHub } from "./own-hub.js";

interface UpOptions extends AdminChoice {
  readonly detach?: boolean;
  readonly port?: number;
  readonly name?: string;
  readonly vouches?: boolean;
}

export function upCommand(tools: FleetTools): CommandModule<UpOptions> {
  const { option, examples } = tools;
  return {
    define(command) {
      adminOptions(command, tools)
        .option("-D, --detach", "start it in the background")
        .option("-p, --port <number>", "the port of the dashboard on loopback", option.port)
        .option(
          "--name <name>",
          "the name of the fleet hub, if this machine has no invitation for it (default: the machine's)",
          option.text,
        )
        .option("--vouches", "hosts believe this fleet hub who answers: for people whom a proxy names, when it starts for the first time")
        .addHelpText(
          "after",
          "\nThe hub of this state folder becomes the fleet hub: it stores the events of all hosts. On the admin's machine it needs no invitation; elsewhere: hookline fleet invite <name> --hub",
        )
        .addHelpText("after", examples("hookline fleet up", "hookline fleet up --detach"));
    },

    async run(terminal, { detach, port, name, vouches = false, ...choice }) {
      const joined = await joinedHub(tools, terminal.env);
      if (joined?.kind === "host")
        throw new HookError("HL_FLEET_CREDENTIALS", `The hub of this state folder is in the fleet as host "${joined.name}".`, {
          fix: "A fleet hub needs a state folder of its own: set XDG_STATE_HOME, or use another user or machine.",
        });
      if (joined === undefined) {
        if (findTenant(terminal.env, choice) === undefined)
          throw new HookError("HL_FLEET_CREDENTIALS", "This machine has neither an invitation for a fleet hub nor the admin's folder.", {
            fix: "On the admin's machine: hookline fleet invite <name> --hub. Then paste the line here.",
          });
        await changeTenant(tools, terminal.env, choice, async ({ admin, tenant }) => {
          const credential = tenant.addHub(personName(name ?? hostname()), vouches);
          await giveToHub(tools, terminal, credential);
          await applyChange(admin, tenant, { action: "hub-invited", subject: credential.name, details: { vouches } }, terminal);
        });
      }
      return tools.up(terminal, { ...(detach !== undefined && { detach }), ...(port !== undefined && { port }) });
    },
  };
}
