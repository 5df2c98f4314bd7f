import { basename, resolve } from "node:path";
import { HookError, replaceFile } from "@hookline/core/internal/machine";
import { shellWord } from "@hookline/core/internal/text";
import type { CommandModule, FleetTools } from "hookline/internal/fleet";
import { encodeInvite } from "../credentials/credential.js";
import type { AdminChoice } from "../credentials/joined.js";
import { adminOptions, applyChange, changeTenant, openTenant, readLabels } from "./context.js";

interface InviteOptions extends AdminChoice {
  readonly label?: readonly string[];
  readonly out?: string;
  readonly hub?: boolean;
  readonly vouches?: boolean;
}

export function inviteCommand(tools: FleetTools): CommandModule<InviteOptions> {
  const { option, examples, EXIT } = tools;
  return {
    define(command) {
      adminOptions(command.argument("<name>", "the name of the host: a-z, 0-9, - and _", option.text), tools)
        .option("--label <key=value>", "a label for rings of policies; several times for several", option.texts)
        .option("--out <file>", "write the credential to a file instead of printing a line", option.text)
        .option("--hub", "invite a fleet hub on another machine instead of a host")
        .option("--vouches", "hosts believe this fleet hub who answers: for people whom a proxy names")
        .addHelpText("after", "\nThe line holds the secret key of the host: send it over a channel that only the host's user reads.")
        .addHelpText("after", "A second invitation gives the host a new key; the first one stops working.")
        .addHelpText(
          "after",
          examples("hookline fleet invite laptop-anna", "hookline fleet invite build-1 --label team=infra --out build-1.json"),
        );
    },

    async run(terminal, { label, out, hub = false, vouches = false, ...choice }, [name = ""]) {
      if (vouches && !hub)
        throw new HookError("HL_BAD_REQUEST", "Only a fleet hub can vouch for people.", {
          fix: { run: `hookline fleet invite ${name} --hub --vouches` },
        });
      const credential = await changeTenant(tools, terminal.env, choice, async ({ admin, tenant }) => {
        const added = hub ? tenant.addHub(name, vouches) : tenant.addHost(name, readLabels(label));
        const what = hub ? { action: "hub-invited", details: { vouches } } : { action: "host-invited", details: { labels: added.labels } };
        await applyChange(admin, tenant, { ...what, subject: name }, terminal);
        return added;
      });
      if (out !== undefined) {
        const path = resolve(out);
        replaceFile(path, `${JSON.stringify(credential)}\n`, { mode: 0o600 });
        terminal.say(`Copy ${path} to ${name}, and run there:`);
        terminal.print(`hookline fleet join ${credential.urls[0]} --creds ${shellWord(basename(path))}`);
      } else {
        terminal.say(`Paste this on ${name}. It is secret:`);
        terminal.print(`hookline fleet join ${encodeInvite(credential)}`);
      }
      return EXIT.ok;
    },
  };
}

export function hostsListCommand(tools: FleetTools): CommandModule<AdminChoice & { readonly json?: boolean }> {
  const { examples, EXIT, format } = tools;
  return {
    define(command) {
      adminOptions(command, tools).option("--json", "print JSON").addHelpText("after", examples("hookline fleet hosts"));
    },
    async run(terminal, { json = false, ...choice }) {
      const { hosts } = openTenant(terminal.env, choice).tenant.roster;
      if (json) terminal.print(JSON.stringify(hosts, undefined, 2));
      else if (hosts.length === 0) terminal.say("There are no hosts yet. To add one: hookline fleet invite <host>");
      else
        for (const line of format.tableLines(
          ["HOST", "LABELS"],
          hosts.map(({ name, labels }) => [name, labelText(labels)]),
          terminal.columns,
        ))
          terminal.print(line);
      return EXIT.ok;
    },
  };
}

export function labelText(labels: { readonly [key: string]: string }): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(" ");
}

export function hostsRevokeCommand(tools: FleetTools): CommandModule<AdminChoice & { readonly hub?: boolean }> {
  const { option, examples, EXIT } = tools;
  return {
    define(command) {
      adminOptions(command.argument("<host>", "the name of the host", option.text), tools)
        .option("--hub", "revoke a fleet hub instead of a host")
        .addHelpText("after", "\nThe server ends its connection when it reads its configuration again. The events that it sent are kept.")
        .addHelpText("after", examples("hookline fleet hosts revoke laptop-anna"));
    },
    async run(terminal, { hub = false, ...choice }, [name = ""]) {
      await changeTenant(tools, terminal.env, choice, async ({ admin, tenant }) => {
        if (!tenant.remove(hub ? "hub" : "host", name))
          throw new HookError("HL_FLEET_CREDENTIALS", `The fleet has no ${hub ? "hub" : "host"} "${name}".`, {
            fix: { run: "hookline fleet hosts" },
          });
        await applyChange(admin, tenant, { action: hub ? "hub-revoked" : "host-revoked", subject: name }, terminal);
      });
      terminal.say(`${name} is revoked.`);
      return EXIT.ok;
    },
  };
}
