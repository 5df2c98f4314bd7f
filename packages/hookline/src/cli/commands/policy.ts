import { type CommandGroup, examples } from "../command-module.js";

export const command: CommandGroup = {
  usual: "diff",
  subcommands: [
    {
      name: "diff",
      access: "read",
      summary: "show what waits for your acceptance (default)",
      load: () => import("../policy/policy-diff.js"),
    },
    {
      name: "accept",
      access: "operate",
      summary: "put what waits into force",
      load: async () => ({ command: (await import("../policy/policy-diff.js")).accept }),
    },
    {
      name: "status",
      access: "read",
      summary: "show the signed bundle in force, and whether it is out of date",
      load: () => import("../policy/bundle-status.js"),
    },
    {
      name: "bundle",
      access: "operate",
      changesFiles: true,
      summary: "pack and sign a folder of rules and hooks",
      load: () => import("../policy/bundle.js"),
    },
  ],
  define(command) {
    command.addHelpText("after", examples("hookline policy diff", "hookline policy accept push-guard", "hookline policy accept --all"));
  },
};
