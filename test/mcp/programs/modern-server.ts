import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

// A server of revision 2026-07-28 that checks nothing, has tasks, and says what no server should. The file `instructions` is what it says in
// server/discover.
const folder = process.argv[2] ?? ".";
const say = (message: object): void => void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const setting = (name: string): string | undefined =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : undefined;
const text = (value: string) => ({ content: [{ type: "text", text: value }] });

const tools = [
  { name: "write", inputSchema: { type: "object", properties: { path: { type: "string" } } }, Description: "unpinned" },
  { name: "how", description: "Answers as it is told.", inputSchema: { type: "object", properties: { how: { type: "string" } } } },
  { name: "mirrored", inputSchema: { type: "object", properties: { a: { "x-mcp-header": "A b" } } } },
];

const elicit = {
  method: "elicitation/create",
  params: { mode: "form", message: "key-7?", requestedSchema: { type: "object", properties: {} } },
};

/** What the tool `how` answers, by its argument. */
const answers: { readonly [how: string]: () => object } = {
  task: () => ({ resultType: "task", taskId: "t1", status: "working", ttlMs: 1_000, pollIntervalMs: 1 }),
  ask: () => ({
    resultType: "input_required",
    inputRequests: { q: elicit },
    requestState: "key-99",
    content: [{ type: "text", text: "unseen" }],
  }),
  sample: () => ({ resultType: "input_required", inputRequests: { q: { method: "sampling/createMessage", params: {} } } }),
  strange: () => ({ resultType: "strange", ...text("strange") }),
  twofold: () => ({ ResultType: "input_required", ...text("plain") }),
  request: () => {
    say({ id: "s1", method: "elicitation/create", params: elicit.params });
    return text("asked");
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined || method === undefined) continue;
  const meta = params._meta ?? {};
  if (meta["io.modelcontextprotocol/protocolVersion"] === undefined) {
    say({ id, error: { code: -32602, message: "Only 2026-07-28." } });
    continue;
  }
  writeFileSync(join(folder, "capabilities"), JSON.stringify(meta["io.modelcontextprotocol/clientCapabilities"]));
  say({ id, result: resultOf(method, params) });
}

// biome-ignore lint/suspicious/noExplicitAny: it checks nothing
function resultOf(method: string, params: any): object {
  const complete = { resultType: "complete", ttlMs: 60_000, cacheScope: "public" };
  if (method === "server/discover")
    return {
      ...complete,
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {}, extensions: { "io.modelcontextprotocol/tasks": {} } },
      instructions: setting("instructions") ?? "Be careful.",
      Instructions: "unpinned",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "modern", version: "1" } },
    };
  if (method === "tools/list") return { ...complete, tools, Tools: "unpinned" };
  if (method === "tasks/get" && params.taskId === "t2")
    return { ...complete, taskId: "t2", status: "input_required", statusMessage: "key-5", inputRequests: { q: elicit } };
  if (method === "tasks/get")
    return { ...complete, taskId: params.taskId, status: "completed", result: { ...complete, ...text("key-12") } };
  if (method !== "tools/call") return {};
  const { name, arguments: input } = params;
  if (name === "write") writeFileSync(join(folder, input?.path ?? "none"), "");
  if (name === "how" && params.inputResponses !== undefined) return { ...complete, ...text(`answered ${JSON.stringify(params)}`) };
  return name === "how" ? (answers[input.how]?.() ?? text("plain")) : { ...complete, ...text("done") };
}
