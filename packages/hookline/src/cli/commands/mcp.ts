import { type CommandGroup, examples, type ListedCommand } from "../command-module.js";

type Entry = Omit<ListedCommand, "load">;

/** A subcommand whose code is in `@hookline/mcp`, which knows it by this name. */
function listed(command: Entry, name = command.name): ListedCommand {
  return { ...command, load: async () => (await import("../mcp/load-commands.js")).loadMcpCommand(name) };
}

const pins: CommandGroup = {
  usual: "list",
  subcommands: [
    listed(
      { name: "list", access: "read", summary: "show the servers, and descriptions that differ from their pins (default)" },
      "pins list",
    ),
    listed({ name: "accept", access: "operate", changesFiles: true, summary: "accept what a server has changed" }, "pins accept"),
  ],
  define: (command) => void command.addHelpText("after", examples("hookline mcp pins", "hookline mcp pins accept files 4f1c0a9be2d37765")),
};

export const command: CommandGroup = {
  subcommands: [
    listed({ name: "wrap", access: "ask", summary: "start an MCP server behind the rules" }),
    listed({ name: "proxy", access: "ask", summary: "put an MCP server at a URL behind the rules" }),
    listed({
      name: "attach",
      access: "operate",
      changesFiles: true,
      readsWith: ["dryRun"],
      summary: "put all MCP servers of a client behind the rules",
    }),
    listed({ name: "detach", access: "operate", changesFiles: true, readsWith: ["dryRun"], summary: "undo attach" }),
    listed({ name: "serve", access: "read", operatesWith: ["allowApprovals"], summary: "Hookline itself as an MCP server" }),
    listed({ name: "status", access: "read", summary: "which revision of MCP each side speaks" }),
    { name: "pins", summary: "show and accept changed descriptions of tools", load: async () => ({ command: pins }) },
  ],
  define(command) {
    command
      .addHelpText(
        "after",
        "\nAny MCP server behind the same rules, approvals and record, for any client. Needs the package @hookline/mcp.",
      )
      .addHelpText("after", examples("hookline mcp wrap --name files -- npx -y @modelcontextprotocol/server-filesystem ."));
  },
};
