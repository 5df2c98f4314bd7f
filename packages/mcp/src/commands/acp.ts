import { createBus, HookError } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import { inertText } from "@hookline/core/internal/text";
import type { CommandModule, McpTools } from "hookline/internal/mcp";
import { createFaults } from "../gateway/faults.js";
import { nameOfCommand, serverName } from "../gateway/server-name.js";
import { ChildChannel } from "../protocol/child-channel.js";
import { LineChannel } from "../protocol/line-channel.js";
import { nextSignal } from "./signals.js";

/** `hookline acp -- <agent command>` */
export function acpCommand({ examples, option, EXIT }: McpTools): CommandModule<{ readonly name?: string }> {
  return {
    define(command) {
      command
        .argument("<command...>", "the agent and its arguments, after --")
        .option("--name <name>", "the agent's name in the record (default: that of the program)", option.text)
        .addHelpText(
          "after",
          "\nSpeaks ACP on stdin and stdout. It records the session, and answers permission requests by the hub's rules and people. An agent that does not ask for permission is not stopped.",
        )
        .addHelpText("after", examples("hookline acp -- npx -y @zed-industries/claude-code-acp"));
    },

    async run(terminal, { name: given }, words) {
      const [command = "", ...args] = words;
      const name = given === undefined ? nameOfCommand(words) : serverName(given);
      const { Relay } = await import("../acp/relay.js");
      const bus = createBus({ source: `acp-${name}` });
      const line = connectToHub(bus, { gates: { events: ["tool:before"], onFailure: "closed" }, flushOnSignals: false });
      const fault = createFaults((text) => terminal.say(`hookline acp: ${inertText(text)}`));
      const agent = new ChildChannel({ command, args, env: terminal.env });
      const relay = new Relay({ editor: new LineChannel(process.stdin, process.stdout), agent, name, bus, line, fault });
      const ended = nextSignal();
      await relay.start().catch((cause: unknown) => {
        throw new HookError("HL_MCP_SETTING", `The agent cannot be started: ${(cause as Error).message}.`, { cause });
      });
      const why = await Promise.race([relay.done, ended]);
      if (why?.startsWith("The agent") === true) fault(why);
      await relay.stop();
      await line.close();
      return why?.startsWith("The agent") === true ? EXIT.failed : EXIT.ok;
    },
  };
}
