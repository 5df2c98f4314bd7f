import { type CommandGroup, examples } from "../command-module.js";

export const command: CommandGroup = {
  usual: "list",
  subcommands: [
    {
      name: "list",
      access: "read",
      summary: "list every hook: state, events, failure mode, last fired (default)",
      load: () => import("../hooks/list-hooks.js"),
    },
    {
      name: "new",
      access: "operate",
      changesFiles: true,
      summary: "create a hook folder that works as it is",
      load: () => import("../hooks/new-hook.js"),
    },
    { name: "test", access: "operate", summary: "run a hook on a sample event", load: () => import("../hooks/test-hook.js") },
    {
      name: "trust",
      access: "operate",
      changesFiles: true,
      summary: "review a project's hooks and consent to them",
      load: () => import("../hooks/trust-hooks.js"),
    },
    {
      name: "revoke",
      access: "operate",
      changesFiles: true,
      summary: "withdraw your consent",
      load: async () => ({ command: (await import("../hooks/trust-hooks.js")).revoke }),
    },
    {
      name: "enable",
      access: "operate",
      changesFiles: true,
      summary: "switch on one of your own hooks",
      load: async () => ({ command: (await import("../hooks/switch-hook.js")).enable }),
    },
    {
      name: "disable",
      access: "operate",
      changesFiles: true,
      summary: "switch off one of your own hooks",
      load: async () => ({ command: (await import("../hooks/switch-hook.js")).disable }),
    },
    {
      name: "doctor",
      access: "read",
      operatesWith: ["reviewed"],
      changesFiles: true,
      summary: "find hooks that are broken, or new since your last review",
      load: () => import("../hooks/doctor-hooks.js"),
    },
    {
      name: "import",
      access: "operate",
      summary: "print another agent's hooks as [[hook]] tables",
      load: () => import("../hooks/import-hooks.js"),
    },
  ],
  define(command) {
    command.addHelpText(
      "after",
      examples(
        "hookline hooks list",
        "hookline hooks new push-guard --language python",
        "hookline hooks test push-guard",
        "hookline hooks test --help",
      ),
    );
  },
};
