import { importOptional, type OptionalPackage } from "../../hub/lifecycle/optional-package.js";
import type { CommandModule } from "../command-module.js";
import { type McpTools, mcpTools } from "./mcp-tools.js";

/** What `@hookline/mcp/commands` exports. */
export interface McpCommandsModule {
  /** Of the package; equal to that of the command line. */
  readonly version: string;
  createCommands(tools: McpTools): { readonly [name: string]: CommandModule };
}

const mcpPackage: OptionalPackage = { name: "@hookline/mcp", code: "HL_MCP_MISSING", user: "A gateway for MCP or ACP" };

/** A subcommand of `hookline mcp`, or `hookline acp`. Throws `HL_MCP_MISSING` without the package. */
export async function loadMcpCommand(name: string): Promise<{ readonly command: CommandModule }> {
  const { createCommands } = await importOptional<McpCommandsModule>(mcpPackage, "@hookline/mcp/commands");
  const command = createCommands(mcpTools)[name];
  if (command === undefined) throw new Error(`@hookline/mcp has no command "${name}".`);
  return { command };
}
