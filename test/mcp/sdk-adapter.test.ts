import { createBus } from "@hookline/core";
import { guardMcpClient, guardMcpServer } from "@hookline/core/adapters/mcp-sdk";
import { Client as Client2, InMemoryTransport as InMemoryTransport2 } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CallToolResultSchema, ListToolsResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { acceptedContent, inputRequired, McpServer as McpServer2 } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { expect, it } from "vitest";
import { z } from "zod";

it("refuses the SDK's deprecated way to register a tool, which no guard would see", () => {
  const server = guardMcpServer(createBus(), new McpServer({ name: "files", version: "1.0.0" }));
  expect(() => server.tool("read", () => ({ content: [] }))).toThrow('The tool "read" would not be guarded. Register it with registerTool');
  server.registerTool("read", {}, () => ({ content: [] }));
});

const SDKS = [
  ["v1", McpServer, Client, InMemoryTransport],
  ["v2", McpServer2, Client2, InMemoryTransport2],
] as unknown as readonly (readonly [string, typeof McpServer, typeof Client, typeof InMemoryTransport])[];

it.each(SDKS)(
  "keeps a tool of %s guarded that gets another name, input or function later",
  async (version, Server, ClientOf, Transport) => {
    const bus = createBus();
    const asked: unknown[] = [];
    bus.on("tool:before", ({ payload: { tool } }) => {
      asked.push([tool.name, tool.input]);
      return tool.name === "erase" ? { deny: "not this" } : undefined;
    });
    const server = guardMcpServer(bus, new Server({ name: "files", version: "1.0.0" }));
    const client = new ClientOf({ name: "test", version: "1.0.0" });
    const [near, far] = Transport.createLinkedPair();
    const said = (text: string) => ({ content: [{ type: "text" as const, text }] });
    const tool = server.registerTool("read", {}, () => said("first"));
    await Promise.all([server.connect(near), client.connect(far)]);
    expect(await client.callTool({ name: "read" })).toMatchObject(said("first"));
    const path = { path: z.string() };
    tool.update({
      paramsSchema: (version === "v1" ? path : z.object(path)) as typeof path,
      callback: ({ path }: { path: string }) => said(`second ${path}`),
    });
    expect(await client.callTool({ name: "read", arguments: { path: "x" } })).toMatchObject(said("second x"));
    tool.update({ name: "erase", callback: () => said("third") });
    expect(await client.callTool({ name: "erase", arguments: { path: "y" } })).toMatchObject({
      isError: true,
      ...said(expect.stringContaining("not this")),
    });
    expect(asked).toEqual([
      ["read", {}],
      ["read", { path: "x" }],
      ["erase", { path: "y" }],
    ]);
    await client.close();
  },
);

it("guards the tools that a server had before, by every way to register them, also once they change", async () => {
  const bus = createBus();
  bus.on("tool:before", ({ payload: { tool } }) => (tool.name === "erase" || tool.input.path === "/" ? { deny: "not this" } : undefined));
  const server = new McpServer({ name: "files", version: "1.0.0" });
  const said = (text: string) => ({ content: [{ type: "text" as const, text }] });
  const read = server.registerTool("read", { inputSchema: { path: z.string() } }, ({ path }) => said(path));
  server.tool("erase", () => said("erased"));
  expect(guardMcpServer(bus, server)).toBe(server);
  const client = new Client({ name: "test", version: "1.0.0" });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(near), client.connect(far)]);
  const call = async (name: string, path?: string) => JSON.stringify(await client.callTool({ name, arguments: { path } }));
  expect(await call("read", "a")).toContain("a");
  expect(await call("read", "/")).toContain("not this");
  expect(await call("erase")).toContain("not this");
  read.update({ callback: ({ path }) => said(`again ${path}`) });
  expect(await call("read", "b")).toContain("again b");
  expect(await call("read", "/")).toContain("not this");
  await client.close();
});

it("refuses a server whose tools it cannot guard", () => {
  const server = new McpServer({ name: "files", version: "1.0.0" });
  const unused = () => {
    throw new Error("It ran.");
  };
  server.experimental.tasks.registerToolTask("read", {}, { createTask: unused, getTask: unused, getTaskResult: unused });
  expect(() => guardMcpServer(createBus(), server)).toThrow('The tool "read" would not be guarded, because it runs as a task.');
  expect(() => guardMcpServer(createBus(), { registerTool: unused })).toThrow("cannot see which tools this server has");
});

it("refuses tools and calls as tasks, which no guard would see", async () => {
  const server = guardMcpServer(createBus(), new McpServer({ name: "files", version: "1.0.0" }));
  const unused = () => {
    throw new Error("It ran.");
  };
  const handler = { createTask: unused, getTask: unused, getTaskResult: unused };
  expect(() => server.experimental.tasks.registerToolTask("read", {}, handler)).toThrow('The tool "read" would not be guarded.');
  const client = guardMcpClient(createBus(), new Client({ name: "c", version: "1.0.0" }), { server: "files" });
  const { tasks } = client.experimental;
  expect(() => tasks.callToolStream({ name: "read" })).toThrow('The call of "read" would not be guarded.');
  const request = { method: "tools/call" as const, params: { name: "read" } };
  expect(() => tasks.requestStream(request, CallToolResultSchema)).toThrow('The call of "read" would not be guarded.');
  const asTask = client.callTool({ name: "read" }, CallToolResultSchema, { task: { ttl: 1_000 } });
  await expect(asTask).rejects.toThrow('The call of "read" would not be guarded.');
  await expect(client.callTool({ name: "read", task: {} })).rejects.toThrow('The call of "read" would not be guarded.');
});

it.each(SDKS)("refuses calls by the request of a client of %s, which no guard would see", async (_, Server, ClientOf, Transport) => {
  const bus = createBus();
  const asked: string[] = [];
  bus.on("tool:before", ({ payload: { tool } }) => void asked.push(tool.name));
  const server = new Server({ name: "files", version: "1.0.0" });
  server.registerTool("read", {}, () => ({ content: [{ type: "text", text: "done" }] }));
  const client = guardMcpClient(bus, new ClientOf({ name: "test", version: "1.0.0" }), { server: "files" });
  const [near, far] = Transport.createLinkedPair();
  await Promise.all([server.connect(near), client.connect(far)]);
  const request = { method: "tools/call" as const, params: { name: "read" } };
  expect(() => client.request(request, CallToolResultSchema)).toThrow('The call of "read" would not be guarded.');
  expect(await client.callTool({ name: "read" })).toMatchObject({ content: [{ text: "done" }] });
  expect(await client.request({ method: "tools/list" }, ListToolsResultSchema)).toMatchObject({ tools: [{ name: "read" }] });
  expect(asked).toEqual(["mcp__files__read"]);
  await client.close();
});

it("guards a call at which a server of revision 2026-07-28 asks first, and the call that answers it", async () => {
  const bus = createBus();
  const asked: string[] = [];
  bus.on("tool:before", ({ payload: { tool } }) => void asked.push(tool.name));
  const [near, far] = InMemoryTransport2.createLinkedPair();
  const requestedSchema = { type: "object" as const, properties: { name: { type: "string" as const } } };
  serveStdio(
    () => {
      const server = new McpServer2({ name: "files", version: "1.0.0" });
      server.registerTool("greet", {}, ({ mcpReq }) => {
        const given = acceptedContent<{ name: string }>(mcpReq.inputResponses, "name");
        if (given === undefined)
          return inputRequired({ inputRequests: { name: inputRequired.elicit({ message: "Name?", requestedSchema }) } });
        return { content: [{ type: "text", text: `Hello ${given.name}.` }] };
      });
      return server;
    },
    { transport: far as never },
  );
  const options = { capabilities: { elicitation: {} }, versionNegotiation: { mode: { pin: "2026-07-28" } } };
  const client = guardMcpClient(bus, new Client2({ name: "test", version: "1.0.0" }, options), { server: "files" });
  client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { name: "Ann" } }));
  await client.connect(near);
  expect(await client.callTool({ name: "greet" })).toMatchObject({ content: [{ text: "Hello Ann." }] });
  expect(asked).toEqual(["mcp__files__greet"]);
  await client.close();
});
