import { type CommandGroup, examples, type ListedCommand } from "../command-module.js";

type Entry = Omit<ListedCommand, "load">;

/** A subcommand whose code is in `@hookline/fleet`, which knows it by this name. */
function listed(command: Entry, name = command.name): ListedCommand {
  return { ...command, load: async () => (await import("../fleet/load-commands.js")).loadFleetCommand(name) };
}

function group(name: string, summary: string, entries: readonly [Entry, ...Entry[]]): ListedCommand {
  const subcommands = entries.map((entry) => listed(entry, `${name} ${entry.name}`));
  const command: CommandGroup = {
    usual: entries[0].name,
    subcommands,
    define: (command) => void command.addHelpText("after", examples(`hookline fleet ${name}`)),
  };
  return { name, summary, load: async () => ({ command }) };
}

export const command: CommandGroup = {
  subcommands: [
    listed({ name: "dev", access: "operate", summary: "try it: a server, a fleet hub and three simulated hosts, until Ctrl-C" }),
    listed({ name: "init", access: "operate", changesFiles: true, summary: "create a fleet: keys, the server's configuration, streams" }),
    listed({ name: "invite", access: "operate", changesFiles: true, summary: "add a host, and print the line to paste there" }),
    listed({ name: "join", access: "operate", changesFiles: true, summary: "join a fleet with an invitation" }),
    listed({ name: "leave", access: "operate", changesFiles: true, summary: "leave the fleet" }),
    listed({ name: "up", access: "operate", summary: "start the fleet hub, which stores the events of all hosts" }),
    listed({ name: "status", access: "read", summary: "show the hosts: presence, lag, policy, version" }),
    listed({ name: "tail", access: "read", summary: "follow the events of one host as they happen" }),
    listed({ name: "doctor", access: "read", summary: "find problems of the fleet and the commands that fix them" }),
    group("policy", "push, roll back and show the policy of all hosts", [
      { name: "status", access: "read", summary: "show what each channel offers and which hosts have it (default)" },
      { name: "push", access: "operate", summary: "sign a folder of rules and hooks and offer it to hosts" },
      { name: "rollback", access: "operate", summary: "offer an earlier policy again, under a new serial" },
    ]),
    listed({ name: "approvals", access: "read", summary: "list the calls of all hosts that wait for a person" }),
    listed({ name: "approve", access: "operate", summary: "let a waiting call of a host run" }),
    listed({ name: "deny", access: "operate", summary: "deny a waiting call of a host" }),
    group("always", "list and withdraw what every host allows without asking", [
      { name: "list", access: "read", summary: "list the calls (default)" },
      { name: "forget", access: "operate", summary: "withdraw one: such calls wait for a person again" },
    ]),
    listed({ name: "audit", access: "read", summary: "show who answered, allowed and changed what" }),
    group("people", "list, add, enrol and remove people and their roles", [
      { name: "list", access: "read", summary: "list people and their roles (default)" },
      { name: "add", access: "operate", changesFiles: true, summary: "add a person with a role, or change the role" },
      { name: "enrol", access: "operate", changesFiles: true, summary: "let a person make a passkey for the fleet's dashboard" },
      { name: "remove", access: "operate", changesFiles: true, summary: "remove a person: the credential stops working" },
    ]),
    group("hosts", "list and revoke hosts", [
      { name: "list", access: "read", summary: "list the hosts of the roster (default)" },
      { name: "revoke", access: "operate", changesFiles: true, summary: "remove a host: its credential stops working" },
    ]),
  ],
  define(command) {
    command
      .addHelpText("after", "\nMany machines, one view, one policy: hubs that share a NATS server. Needs the package @hookline/fleet.")
      .addHelpText(
        "after",
        examples(
          "hookline fleet dev",
          "hookline fleet init",
          "hookline fleet invite laptop-anna --label team=web",
          "hookline fleet status",
        ),
      );
  },
};
