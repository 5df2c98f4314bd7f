import { once } from "node:events";
import { HookError, readManaged } from "@hookline/core/internal/machine";
import { shellWord } from "@hookline/core/internal/text";
import type { CommandModule, FleetTools } from "hookline/internal/fleet";
import { startDevFleet } from "../dev/dev-fleet.js";
import { findServer } from "../dev/find-server.js";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export function devCommand(tools: FleetTools): CommandModule {
  const { examples, EXIT } = tools;
  return {
    define(command) {
      command
        .addHelpText(
          "after",
          "\nEverything runs on this machine, in a temporary folder: Ctrl-C ends it and removes the folder. Needs nats-server on the PATH.",
        )
        .addHelpText("after", examples("hookline fleet dev", "NATS_SERVER=~/bin/nats-server hookline fleet dev"));
    },

    async run(terminal) {
      const { say, print, env } = terminal;
      if (readManaged() !== undefined)
        throw new HookError(
          "HL_FLEET_SERVER",
          "This machine has a managed hub, which every command uses, so no other hubs can be tried here.",
          {
            fix: "Try it on another machine or in a container.",
          },
        );
      const program = findServer(env);
      const stop = new AbortController();
      const stopped = once(stop.signal, "abort");
      const end = (): void => stop.abort();
      for (const signal of SIGNALS) process.on(signal, end);
      say("Starting a fleet on this machine:");
      const fleet = await startDevFleet({ program, env, tools, say: (line) => say(`  ${line}`) });
      try {
        if (!stop.signal.aborted) {
          const link = await fleet.dashboard();
          const variables = Object.entries(fleet.hubEnv)
            .map(([name, value]) => `${name}=${shellWord(value)}`)
            .join(" ");
          say("\nThe dashboard, with the events of all hosts (the link works once, within two minutes):");
          print(link);
          say("\nIn another terminal, as the admin of this fleet:");
          say(`  export ${variables}`);
          say("  hookline fleet status");
          say("  hookline tail --host laptop-ben");
          say("  hookline approvals --fleet");
          say("  hookline fleet invite my-laptop");
          say("\nA scripted agent runs on each host; on laptop-anna, it waits for your approval. Ctrl-C ends everything and removes it.");
          const simulation = fleet.simulate(stop.signal);
          await stopped;
          await simulation;
        }
      } finally {
        say("Ending the fleet.");
        await fleet.close();
        for (const signal of SIGNALS) process.off(signal, end);
      }
      return EXIT.ok;
    },
  };
}
