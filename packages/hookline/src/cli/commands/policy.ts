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
  ],
  define(command) {
    command.addHelpText("after", examples("hookline policy diff", "hookline policy accept push-guard", "hookline policy accept --all"));
  },
};
