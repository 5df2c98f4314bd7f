import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  isLegacyRequest,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

// A server of SDK v2: `both` eras, or `modern` alone. Over stdio or, with a port, over HTTP. Its tools are those of the table of pairings.
const [folder = ".", era = "both", port] = process.argv.slice(2);
const inFolder = (name: string): string => join(folder, basename(name));
const setting = (name: string): string | undefined => (existsSync(inFolder(name)) ? readFileSync(inFolder(name), "utf8") : undefined);
const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

function create(): McpServer {
  const server = new McpServer(
    { name: "eras", version: "1.0.0" },
    {
      capabilities: { logging: {}, tools: { listChanged: true }, resources: { subscribe: true } },
      instructions: setting("instructions") ?? "Tools of the table.",
    },
  );
  server.registerTool(
    "read_file",
    { description: setting("description") ?? "Reads a file.", inputSchema: z.object({ path: z.string() }) },
    async ({ path }) => text(readFileSync(inFolder(path), "utf8")),
  );
  server.registerTool(
    "write_file",
    { description: "Writes a file.", inputSchema: z.object({ path: z.string(), text: z.string() }) },
    async ({ path, text: content }) => {
      writeFileSync(inFolder(path), content);
      return text(`Wrote ${path}.`);
    },
  );
  server.registerTool("ask_name", { description: "Asks the client's person." }, async (context) => {
    const given = acceptedContent<{ name: string }>(context.mcpReq.inputResponses, "name");
    if (given !== undefined) return text(`Hello ${given.name}.`);
    return inputRequired({
      inputRequests: {
        name: inputRequired.elicit({
          message: "Your name?",
          requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
        }),
      },
    });
  });
  server.registerTool("slow", { description: "Waits until it is cancelled, and says so in a file." }, async (context) => {
    const { progressToken } = context.mcpReq._meta ?? {};
    if (progressToken !== undefined)
      await context.mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress: 1, total: 2 } });
    writeFileSync(inFolder("slow-began"), "");
    await new Promise<void>((resolve) => {
      const alive = setInterval(() => {}, 1_000);
      context.mcpReq.signal.addEventListener("abort", () => resolve(clearInterval(alive)), { once: true });
    });
    writeFileSync(inFolder("slow-cancelled"), "");
    return text("cancelled");
  });
  server.registerTool(
    "tell",
    { description: "Tells the client something.", inputSchema: z.object({ what: z.string() }) },
    async ({ what }, context) => {
      if (what === "log") await context.mcpReq.log("warning", "heard");
      if (what === "tool") server.registerTool("new", { description: "A new one." }, async () => text("new"));
      if (what === "note") await server.server.sendResourceUpdated({ uri: "note://one" });
      return text(what);
    },
  );
  server.server.setRequestHandler("resources/subscribe", () => ({}));
  server.server.setRequestHandler("resources/unsubscribe", () => ({}));
  server.registerResource("note", "note://one", { description: "A note.", mimeType: "text/plain" }, async (uri) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: "the note's key-12" }],
  }));
  server.registerPrompt("review", { description: "Reviews a file.", argsSchema: z.object({ file: z.string() }) }, ({ file }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Review ${file}.` } }],
  }));
  return server;
}

const legacy = era === "modern" ? "reject" : undefined;
if (port === undefined) serveStdio(create, legacy === undefined ? {} : { legacy });
else listen(Number(port));

/** Clients of the legacy era get a session each. */
function listen(on: number): void {
  const modern = createMcpHandler(create, { legacy: "reject" });
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const answer = async (request: Request): Promise<Response> => {
    if (era === "modern" || !(await isLegacyRequest(request))) return modern.fetch(request);
    const known = sessions.get(request.headers.get("mcp-session-id") ?? "");
    if (known !== undefined) return known.handleRequest(request);
    const made: WebStandardStreamableHTTPServerTransport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, made),
    });
    await create().connect(made);
    return made.handleRequest(request);
  };
  const http = createServer((incoming, outgoing) => void serve(answer, incoming, outgoing));
  http.listen(on, "127.0.0.1", () => process.stdout.write(`${(http.address() as AddressInfo).port}\n`));
}

async function serve(answer: (request: Request) => Promise<Response>, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const cut = new AbortController();
  outgoing.once("close", () => cut.abort());
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]);
  const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
  const request = new Request("http://127.0.0.1/mcp", { method: incoming.method ?? "GET", headers, signal: cut.signal, ...body });
  const response = await answer(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers)).flushHeaders();
  if (response.body === null) return void outgoing.end();
  Readable.fromWeb(response.body as never)
    .on("error", () => outgoing.destroy())
    .pipe(outgoing);
}
