import type { CommandModule, McpTools } from "hookline/internal/mcp";
import { nameOfCommand, serverName } from "../gateway/server-name.js";
import { ChildChannel } from "../protocol/child-channel.js";
import { ERAS_HELP, erasOption, runGateway } from "./run-gateway.js";

/** `hookline mcp wrap -- <server command>` */
export function wrapCommand(
  tools: McpTools,
): CommandModule<{ readonly name?: string; readonly listen?: number; readonly eras?: "modern" }> {
  const { examples, option } = tools;
  return {
    define(command) {
      command
        .argument("<command...>", "the server and its arguments, after --")
        .option("--name <name>", "the server's name, as part of its tools' names (default: that of the program)", option.text)
        .option("--eras <eras>", ERAS_HELP, erasOption(tools))
        .option("--listen <port>", "serve clients over HTTP on this port of loopback; 0 for any", option.port)
        .addHelpText(
          "after",
          "\nSpeaks MCP on stdin and stdout, or on the port. Each call is asked about as mcp__<name>__<tool>, and denied if the hub does not answer.",
        )
        .addHelpText("after", examples("hookline mcp wrap --name files -- npx -y @modelcontextprotocol/server-filesystem ."));
    },

    run(terminal, { name, listen, eras }, words) {
      const [command = "", ...args] = words;
      const identity = { name: name === undefined ? nameOfCommand(words) : serverName(name), target: words };
      return runGateway(tools, terminal, { identity, listen, eras, connect: () => new ChildChannel({ command, args, env: terminal.env }) });
    },
  };
}
