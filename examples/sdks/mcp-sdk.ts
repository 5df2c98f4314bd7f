import type { Bus } from "@hookline/core";
import { guardMcpClient } from "@hookline/core/adapters/mcp-sdk";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";

export async function play(bus: Bus, calls: readonly { readonly command: string; readonly callId: string }[]) {
  const ran: string[] = [];
  const server = new McpServer({ name: "local", version: "1.0.0" });
  server.registerTool("shell", { description: "runs a command", inputSchema: { command: z.string() } }, ({ command }) => {
    ran.push(command);
    return { content: [{ type: "text", text: `ran ${command}` }] };
  });
  const [here, there] = InMemoryTransport.createLinkedPair();
  const client = guardMcpClient(bus, new Client({ name: "tester", version: "1.0.0" }), { server: "local", session: { id: "s1" } });
  await Promise.all([server.connect(there), client.connect(here)]);
  const told: unknown[] = [];
  for (const { command } of calls) told.push(await client.callTool({ name: "shell", arguments: { command } }));
  await client.close();
  return { ran, told: JSON.stringify(told) };
}
