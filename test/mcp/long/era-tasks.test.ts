import { afterAll, beforeAll, expect, it } from "vitest";
import { RULES } from "../era-pairs.ts";
import { McpHome, textOf } from "../mcp-home.ts";
import { RawClient } from "../raw-client.ts";

const home = new McpHome();
beforeAll(() => home.up(RULES));
afterAll(() => home.close());

/** A server of the legacy era that answers each call with a task. */
const SERVER = `
const results = {
  initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {}, tasks: {} }, serverInfo: { name: "tasks", version: "1" } },
  "tools/list": { tools: [{ name: "job", inputSchema: { type: "object" } }] },
  "tools/call": { task: { taskId: "t1", status: "working" } },
  "tasks/get": { taskId: "t1", status: "completed" },
  "tasks/result": { content: [{ type: "text", text: "key-12" }] },
};
require("readline").createInterface(process.stdin).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  const answer = results[method] === undefined ? { error: { code: -32601, message: "unknown" } } : { result: results[method] };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
});
`;

it("the result of a task of the legacy era goes through the hooks, under the name of its call", async () => {
  const raw = new RawClient(["mcp", "wrap", "--name", "tasks", "--", process.execPath, "-e", SERVER], home.cli.env);
  const legacy = (method: string, params: object = {}) => raw.ask(method, { _meta: {}, ...params });
  await legacy("initialize", { protocolVersion: "2025-11-25", capabilities: { tasks: {} }, clientInfo: { name: "raw", version: "1" } });
  expect((await legacy("tools/call", { name: "job", arguments: {}, task: { ttl: 1_000 } })).result).toMatchObject({
    task: { taskId: "t1" },
  });
  expect(textOf((await legacy("tasks/result", { taskId: "t1" })).result)).toBe("[key]");
  expect(textOf((await legacy("tasks/result", { taskId: "unknown" })).result)).toBe("[key]");
  // A client of the modern era cannot have such a task.
  expect(JSON.stringify(await raw.call("job", {}, { task: {} }))).toContain("tasks differ between revisions");
  expect((await raw.ask("tasks/get", { taskId: "t1" })).error.message).toContain("tasks differ between revisions");
  await raw.close();
});
