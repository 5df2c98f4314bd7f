import { createBus } from "@hookline/core";
import { guardMcpServer } from "@hookline/core/adapters/mcp-sdk";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { expect, it } from "vitest";

it("refuses the SDK's deprecated way to register a tool, which no guard would see", () => {
  const server = guardMcpServer(createBus(), new McpServer({ name: "files", version: "1.0.0" }));
  expect(() => server.tool("read", () => ({ content: [] }))).toThrow('The tool "read" would not be guarded. Register it with registerTool');
  server.registerTool("read", {}, () => ({ content: [] }));
});
