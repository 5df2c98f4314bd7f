import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

// An MCP server that checks nothing: it also runs calls without an id, and takes ["write"] for "write", as JavaScript does, and "Name" for "name", as Go does.
const folder = process.argv[2] ?? ".";
const tools: { readonly [name: string]: (input: { readonly path?: string }) => void } = {
  write: ({ path = "none" }) => writeFileSync(join(folder, path), ""),
};
const results: { readonly [method: string]: object } = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "careless", version: "1" } },
  "tools/list": {
    tools: [
      { name: "write", inputSchema: { type: "object", properties: { path: { type: "string" } } }, Description: "unpinned" },
      { name: ["read"], description: "unpinned" },
    ],
    Tools: "unpinned",
  },
};
// biome-ignore lint/suspicious/noExplicitAny: it checks nothing
const folded = (fields: object = {}): any => Object.fromEntries(Object.entries(fields).map(([key, value]) => [key.toLowerCase(), value]));

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = folded(JSON.parse(line));
  if (method === "tools/call") {
    const { name, arguments: given } = folded(params);
    tools[name]?.(folded(typeof given === "string" ? JSON.parse(given) : given));
  }
  const result = results[method] ?? { content: [{ type: "text", text: "done" }] };
  if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}
