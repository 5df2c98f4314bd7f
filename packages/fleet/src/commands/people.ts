import { basename, resolve } from "node:path";
import { HookError, replaceFile } from "@hookline/core/internal/machine";
import { shellWord } from "@hookline/core/internal/text";
import type { CommandModule, FleetTools } from "hookline/internal/fleet";
import type { AdminChoice } from "../credentials/joined.js";
import { ROLES, type Role } from "../credentials/permissions.js";
import { adminOptions, applyChange, changeTenant, openTenant } from "./context.js";

export function peopleListCommand(tools: FleetTools): CommandModule<AdminChoice & { readonly json?: boolean }> {
  const { examples, EXIT, format } = tools;
  return {
    define(command) {
      adminOptions(command, tools).option("--json", "print JSON").addHelpText("after", examples("hookline fleet people"));
    },
    async run(terminal, { json = false, ...choice }) {
      const { people } = openTenant(terminal.env, choice).tenant.roster;
      const rows = people.map(({ name, role, passkeys }) => [name, role, String(passkeys.length)]);
      if (json) terminal.print(JSON.stringify(people, undefined, 2));
      else for (const line of format.tableLines(["PERSON", "ROLE", "PASSKEYS"], rows, terminal.columns)) terminal.print(line);
      return EXIT.ok;
    },
  };
}

export function peopleAddCommand(tools: FleetTools): CommandModule<AdminChoice & { readonly role?: string; readonly out?: string }> {
  const { option, examples, EXIT } = tools;
  return {
    define(command) {
      adminOptions(command.argument("<name>", "the name of the person: a-z, 0-9, - and _", option.text), tools)
        .option("--role <role>", `${ROLES.join(", ")} (default: view)`, option.text)
        .option("--out <file>", "where to write the credential (default: <name>.json in the admin's folder)", option.text)
        .addHelpText(
          "after",
          "\nview sees events and hosts; approve also answers questions; policy also pushes policies; admin does everything.",
        )
        .addHelpText("after", "For a person who exists, it sets the role and replaces the keys.")
        .addHelpText("after", examples("hookline fleet people add vera", "hookline fleet people add alex --role approve"));
    },
    async run(terminal, { role = "view", out, ...choice }, [name = ""]) {
      const { credential, path } = await changeTenant(tools, terminal.env, choice, async ({ admin, tenant }) => {
        const added = tenant.addPerson(name, roleOf(role));
        const text = `${JSON.stringify(added)}\n`;
        const to = out === undefined ? tenant.handOver(name, text) : resolve(out);
        if (out !== undefined) replaceFile(to, text, { mode: 0o600 });
        await applyChange(admin, tenant, { action: "person-added", subject: name, details: { role } }, terminal);
        return { credential: added, path: to };
      });
      terminal.say(`${name} has the role ${role}. The keys are in ${path}, which only you can read.`);
      terminal.say(`Give the file to ${name} over a safe channel and delete it here. On the other machine:`);
      terminal.print(`hookline fleet join ${credential.urls[0]} --creds ${shellWord(basename(path))}`);
      return EXIT.ok;
    },
  };
}

function roleOf(text: string): Role {
  const role = ROLES.find((one) => one === text);
  if (role !== undefined) return role;
  throw new HookError("HL_FLEET_NAME", `"${text.slice(0, 80)}" is not a role.`, { fix: `Use one of: ${ROLES.join(", ")}.` });
}

export function peopleRemoveCommand(tools: FleetTools): CommandModule<AdminChoice> {
  const { option, examples, EXIT } = tools;
  return {
    define(command) {
      adminOptions(command.argument("<name>", "the name of the person", option.text), tools).addHelpText(
        "after",
        examples("hookline fleet people remove alex"),
      );
    },
    async run(terminal, choice, [name = ""]) {
      await changeTenant(tools, terminal.env, choice, async ({ admin, tenant }) => {
        if (!tenant.remove("person", name))
          throw new HookError("HL_FLEET_CREDENTIALS", `The fleet has no person "${name}".`, { fix: { run: "hookline fleet people" } });
        await applyChange(admin, tenant, { action: "person-removed", subject: name }, terminal);
      });
      terminal.say(`${name} is removed.`);
      return EXIT.ok;
    },
  };
}
