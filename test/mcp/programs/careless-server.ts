import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

// An MCP server that checks nothing: it also runs calls without an id, and takes ["write"] for "write", as JavaScript does.
const folder = process.argv[2] ?? ".";
const tools: { readonly [name: string]: (input: { readonly path?: string }) => void } = {
  write: ({ path = "none" }) => writeFileSync(join(folder, path), ""),
};
const results: { readonly [method: string]: object } = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "careless", version: "1" } },
  "tools/list": { tools: [{ name: "write", inputSchema: { type: "object" } }] },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === "tools/call") {
    const input = typeof params.arguments === "string" ? JSON.parse(params.arguments) : params.arguments;
    tools[params.name]?.(input);
  }
  const result = results[method] ?? { content: [{ type: "text", text: "done" }] };
  if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}
