import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { CreateMessageRequestSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { McpClient, McpHome, program, textOf, until } from "../mcp-home.ts";

const RULES = `
[[rule]]
name = "no-secret-files"
match = "tool.name == 'mcp__remote__write_file' && tool.input.path contains 'secret'"
do = "block"
message = "No secret files."
`;

const home = new McpHome();
const children: ChildProcess[] = [];
let port = "0";
let server: ChildProcess;

async function startServer(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program("files-server"), home.files, port], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  port = line.toString().trim();
  return child;
}

beforeAll(async () => {
  mkdirSync(home.files);
  writeFileSync(join(home.files, "token"), "t0ken");
  await home.up(RULES);
  server = await startServer();
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await home.close();
});

const proxied = (...more: readonly string[]) => [
  "mcp",
  "proxy",
  `http://127.0.0.1:${port}/mcp`,
  "--name",
  "remote",
  "--bearer-env",
  "TOKEN",
  ...more,
];

describe("a server at a URL", () => {
  it("is behind the rules, and passes both ways", async () => {
    const client = await home.connect(proxied(), new McpClient(), { TOKEN: "t0ken" });
    client.setRequestHandler(CreateMessageRequestSchema, () => ({ model: "m", role: "assistant", content: { type: "text", text: "4" } }));
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { name: "Ann" } }));
    expect((await client.listTools()).tools.length).toBeGreaterThan(3);
    expect(textOf(await client.callTool({ name: "write_file", arguments: { path: "a", text: "b" } }))).toBe("Wrote a.");
    expect(textOf(await client.callTool({ name: "write_file", arguments: { path: "secret", text: "b" } }))).toContain("No secret files.");
    expect(JSON.parse(textOf(await client.callTool({ name: "ask_client" })))).toEqual([{ type: "text", text: "4" }, { name: "Ann" }]);
  });

  it("may die during a call and come back: the call is answered, and the next session works", async () => {
    const client = await home.connect(proxied(), new McpClient(), { TOKEN: "t0ken" });
    const waiting = client.callTool({ name: "slow" });
    await until(() => existsSync(join(home.files, "slow-began")));
    server.kill("SIGKILL");
    expect(textOf(await waiting)).toContain('"remote" did not answer: ');
    server = await startServer();
    await until(async () => textOf(await client.callTool({ name: "write_file", arguments: { path: "c", text: "" } })) === "Wrote c.");
  });

  it("says what is missing if it needs a login", async () => {
    const client = await home.connect(proxied(), new McpClient(), { TOKEN: "wrong" });
    await expect(client.listTools()).rejects.toThrow("It needs a login.");
  });
});

describe("the gateway on a port", () => {
  it("serves clients that have its token, each with a session of its own, and refuses others", async () => {
    const gateway = home.cli.start(
      "mcp",
      "wrap",
      "--name",
      "remote",
      "--listen",
      "0",
      "--",
      process.execPath,
      program("files-server"),
      home.files,
    );
    const url = await until(() => /^http:\S+$/m.exec(gateway.out)?.[0]);
    const token = await until(() => /Bearer (\S+)"/.exec(gateway.err)?.[1]);
    const connect = async (headers: Record<string, string>) => {
      const client = new Client({ name: "http-client", version: "1" });
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }) as Transport);
      return client;
    };
    await expect(connect({})).rejects.toThrow();
    await expect(connect({ authorization: `Bearer ${token}`, origin: "http://evil.example" })).rejects.toThrow("Web pages");
    const clients = await Promise.all([1, 2].map(() => connect({ authorization: `Bearer ${token}` })));
    const answers = await Promise.all(
      clients.map((client, n) => client.callTool({ name: "write_file", arguments: { path: n === 0 ? "d" : "secret", text: "" } })),
    );
    expect(answers.map(textOf)).toEqual(["Wrote d.", expect.stringContaining("No secret files.")]);
    await Promise.all(clients.map((client) => client.close()));
    gateway.child.kill("SIGTERM");
    expect((await gateway.ended).code).toBe(0);
  });
});
