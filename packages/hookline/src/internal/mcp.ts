// For `@hookline/mcp`, without promises: types only, so that the package loads none of the hub's code a second time.

export type { CommandModule } from "../cli/command-module.js";
export type { HubClient } from "../cli/hub-client.js";
export type { InstallTools } from "../cli/mcp/install-tools.js";
export type { McpCommandsModule } from "../cli/mcp/load-commands.js";
export type { McpTools } from "../cli/mcp/mcp-tools.js";
export type { Terminal } from "../cli/terminal.js";
