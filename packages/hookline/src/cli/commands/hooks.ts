import { type CommandGroup, examples } from "../command-module.js";

export const command: CommandGroup = {
  usual: "list",
  subcommands: [
    {
      name: "list",
      summary: "list every hook: state, events, failure mode, last fired (default)",
      load: () => import("../hooks/list-hooks.js"),
    },
    { name: "new", summary: "create a hook folder that works as it is", load: () => import("../hooks/new-hook.js") },
    { name: "test", summary: "run a hook on a sample event", load: () => import("../hooks/test-hook.js") },
    { name: "trust", summary: "review a project's hooks and consent to them", load: () => import("../hooks/trust-hooks.js") },
    { name: "revoke", summary: "withdraw your consent", load: async () => ({ command: (await import("../hooks/trust-hooks.js")).revoke }) },
    {
      name: "enable",
      summary: "switch on one of your own hooks",
      load: async () => ({ command: (await import("../hooks/switch-hook.js")).enable }),
    },
    {
      name: "disable",
      summary: "switch off one of your own hooks",
      load: async () => ({ command: (await import("../hooks/switch-hook.js")).disable }),
    },
    {
      name: "doctor",
      summary: "find hooks that are broken, or new since your last review",
      load: () => import("../hooks/doctor-hooks.js"),
    },
    { name: "import", summary: "print another agent's hooks as [[hook]] tables", load: () => import("../hooks/import-hooks.js") },
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
