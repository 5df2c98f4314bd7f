import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

// An MCP server for the files of one folder, over stdio or, with a port, over HTTP. Its files decide how it behaves: `description` is that of read_file, `slow` delays its start,
// and the tool `misbehave` does what no server should.
const folder = process.argv[2] ?? ".";
mkdirSync(folder, { recursive: true });
const inFolder = (name: string): string => join(folder, basename(name));
const setting = (name: string): string | undefined => (existsSync(inFolder(name)) ? readFileSync(inFolder(name), "utf8") : undefined);
const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

function createFiles(): McpServer {
  const server = new McpServer(
    { name: "files", version: "1.0.0" },
    { capabilities: { logging: {}, resources: { subscribe: true } }, instructions: "Files of one folder." },
  );

  server.registerTool(
    "read_file",
    { description: setting("description") ?? "Reads a file.", inputSchema: { path: z.string() } },
    async ({ path }) => text(readFileSync(inFolder(path), "utf8")),
  );
  server.registerTool(
    "write_file",
    { description: "Writes a file.", inputSchema: { path: z.string(), text: z.string() } },
    async ({ path, text: content }) => {
      writeFileSync(inFolder(path), content);
      return text(`Wrote ${path}.`);
    },
  );
  server.registerTool("list", { description: "Lists the files.", outputSchema: { names: z.array(z.string()) } }, async () => ({
    ...text(readdirSync(folder).join("\n")),
    structuredContent: { names: readdirSync(folder).sort() },
  }));
  server.registerTool("large", { description: "Gives so many bytes.", inputSchema: { bytes: z.number() } }, async ({ bytes }) =>
    text("x".repeat(bytes)),
  );
  server.registerTool("ask_client", { description: "Asks the client's model and person." }, async ({ sendNotification }) => {
    await sendNotification({ method: "notifications/message", params: { level: "info", data: "asking" } });
    const sampled = await server.server.createMessage({
      maxTokens: 10,
      messages: [{ role: "user", content: { type: "text", text: "2+2?" } }],
    });
    const elicited = await server.server.elicitInput({
      message: "Your name?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } } },
    });
    return text(JSON.stringify([sampled.content, elicited.content]));
  });
  server.registerTool("ask_name", { description: "Asks the client's person." }, async () => {
    const { content } = await server.server.elicitInput({
      message: "Your name?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } } },
    });
    return text(`Hello ${String(content?.name)}.`);
  });
  server.registerTool("slow", { description: "Waits until it is cancelled, and says so in a file." }, async (extra) => {
    const { progressToken } = extra._meta ?? {};
    if (progressToken !== undefined)
      await extra.sendNotification({ method: "notifications/progress", params: { progressToken, progress: 1, total: 2 } });
    writeFileSync(inFolder("slow-began"), "");
    await new Promise<void>((resolve) => {
      const alive = setInterval(() => {}, 1_000);
      extra.signal.addEventListener("abort", () => resolve(clearInterval(alive)), { once: true });
    });
    writeFileSync(inFolder("slow-cancelled"), "");
    return text("cancelled");
  });
  server.registerTool("when", { description: "Waits for a file, and reads it.", inputSchema: { path: z.string() } }, async ({ path }) => {
    writeFileSync(inFolder("when-began"), "");
    while (!existsSync(inFolder(path))) await new Promise((resolve) => setTimeout(resolve, 20));
    return text(readFileSync(inFolder(path), "utf8"));
  });
  server.registerTool(
    "misbehave",
    { description: "Does what no server should.", inputSchema: { how: z.string() } },
    async ({ how }, { requestId }) => {
      const line = (value: string): boolean => process.stdout.write(`${value}\n`);
      if (how === "exit") process.exit(3);
      if (how === "junk") for (let n = 0; n < 1_000; n++) line(n % 2 === 0 ? "not JSON" : "[1,2,3]");
      if (how === "ids")
        for (const id of [requestId, requestId, 424_242, "nobody", 0])
          line(JSON.stringify({ jsonrpc: "2.0", id, result: text(`id ${id}`) }));
      if (how === "flood")
        for (let n = 0; n < 20_000; n++)
          line(JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "debug", data: `flood ${n}` } }));
      if (how === "huge") line(JSON.stringify({ jsonrpc: "2.0", id: requestId, result: text("x".repeat(40 * 1024 * 1024)) }));
      return text(`did ${how}`);
    },
  );
  server.registerTool("tell", { description: "Tells the client something.", inputSchema: { what: z.string() } }, async ({ what }) => {
    if (what === "log") await server.sendLoggingMessage({ level: "warning", data: "heard" });
    if (what === "tool") server.registerTool("new", { description: "A new one." }, async () => text("new"));
    if (what === "note") await server.server.sendResourceUpdated({ uri: "note://one" });
    return text(what);
  });
  server.server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  server.registerResource("note", "note://one", { description: "A note.", mimeType: "text/plain" }, async (uri) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: "the note's secret" }],
  }));
  server.registerPrompt("review", { description: "Reviews a file.", argsSchema: { file: z.string() } }, ({ file }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Review ${file}.` } }],
  }));
  return server;
}

/** Each client has a session and a server of its own. */
async function listen(): Promise<void> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const http = createServer(async (request, response) => {
    const given = String(request.headers["mcp-session-id"] ?? "");
    if (setting("token") !== undefined && request.headers.authorization !== `Bearer ${setting("token")}`)
      return void response.writeHead(401).end();
    let transport = sessions.get(given);
    if (transport === undefined && given !== "") return void response.writeHead(404).end();
    if (transport === undefined) {
      const made = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (id) => void sessions.set(id, made),
      });
      transport = made;
      await createFiles().connect(made as Transport);
    }
    await transport.handleRequest(request, response);
  });
  http.listen(Number(process.argv[3]), "127.0.0.1", () => process.stdout.write(`${(http.address() as AddressInfo).port}\n`));
}

const slow = setting("slow");
if (slow !== undefined) await new Promise((resolve) => setTimeout(resolve, Number(slow)));
if (process.argv[3] === undefined) await createFiles().connect(new StdioServerTransport());
else await listen();
