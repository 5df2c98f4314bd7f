import { type CommandGroup, examples } from "../command-module.js";

export const command: CommandGroup = {
  usual: "list",
  subcommands: [
    {
      name: "list",
      access: "read",
      summary: "list every rule: state, events, last fired (default)",
      load: () => import("../rules/list.js"),
    },
    {
      name: "add",
      access: "operate",
      changesFiles: true,
      summary: "add sets or a pack of rules to your hookline.toml",
      load: () => import("../rules/add.js"),
    },
    {
      name: "explain",
      access: "read",
      summary: "show what a command does, and which rules apply",
      load: () => import("../rules/explain.js"),
    },
    { name: "test", access: "read", summary: "try rules on their own examples", load: () => import("../rules/test.js") },
    {
      name: "enable",
      access: "operate",
      changesFiles: true,
      summary: "switch on a rule",
      load: async () => ({ command: (await import("../rules/switch.js")).enable }),
    },
    {
      name: "disable",
      access: "operate",
      changesFiles: true,
      summary: "switch off a rule",
      load: async () => ({ command: (await import("../rules/switch.js")).disable }),
    },
    {
      name: "remove",
      access: "operate",
      changesFiles: true,
      summary: "remove sets or a pack of rules",
      load: () => import("../rules/remove.js"),
    },
    {
      name: "sign",
      access: "operate",
      changesFiles: true,
      summary: "sign a pack of rules",
      load: () => import("../rules/sign.js"),
    },
    {
      name: "reset",
      access: "operate",
      summary: "let rules forget what they have counted",
      load: () => import("../rules/reset.js"),
    },
    {
      name: "backtest",
      access: "read",
      summary: "send the recorded calls through changed rules",
      load: () => import("../rules/backtest.js"),
    },
    {
      name: "diff",
      access: "read",
      summary: "compare two files of rules on the recorded calls",
      load: async () => ({ command: (await import("../rules/backtest.js")).diff }),
    },
    {
      name: "coverage",
      access: "read",
      summary: "list rules that never matched, and calls that no rule looks at",
      load: async () => ({ command: (await import("../rules/backtest.js")).coverage }),
    },
    {
      name: "suggest",
      access: "read",
      summary: "suggest rules for what you have approved again and again",
      load: () => import("../rules/suggest.js"),
    },
    {
      name: "shadow",
      access: "read",
      summary: "show what rules in shadow mode would have said",
      load: () => import("../rules/shadow.js"),
    },
    {
      name: "promote",
      access: "operate",
      changesFiles: true,
      summary: "let a rule in shadow mode decide",
      load: async () => ({ command: (await import("../rules/switch.js")).promote }),
    },
  ],
  define(command) {
    command
      .addHelpText("after", "\nA running hub reads a changed file within a second.")
      .addHelpText("after", examples("hookline rules add recommended", "hookline rules list", "hookline rules add --help"));
  },
};
