import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { McpHome, program, textOf, until } from "../mcp-home.ts";
import { RawClient } from "../raw-client.ts";

const RULES = `
[[rule]]
name = "one-region"
tool = "mcp__remote__query"
match = "tool.input.region != 'eu'"
do = "modify"
set = { "tool.input.region" = "eu" }
`;

const VERSION = "2026-07-28";
const META = { "io.modelcontextprotocol/protocolVersion": VERSION, "io.modelcontextprotocol/clientCapabilities": {} };
const home = new McpHome();
const folder = join(home.cli.folder, "http");
beforeAll(async () => {
  mkdirSync(folder);
  await home.up(RULES);
});
afterAll(() => home.close());

// biome-ignore lint/suspicious/noExplicitAny: messages of any shape
type Json = any;

describe("the gateway on a port, for clients of the modern era", () => {
  let url = "";
  let token = "";
  let gateway: ReturnType<typeof home.cli.start>;
  beforeAll(async () => {
    gateway = home.cli.start("mcp", "wrap", "--name", "files", "--listen", "0", "--", process.execPath, program("files-server"), folder);
    url = await until(() => /^http:\S+$/m.exec(gateway.out)?.[0]);
    token = await until(() => /Bearer (\S+)"/.exec(gateway.err)?.[1]);
  });
  afterAll(async () => {
    gateway.child.kill("SIGTERM");
    expect((await gateway.ended).code).toBe(0);
  });

  const post = (message: Json, headers: Record<string, string>, signal?: AbortSignal) =>
    fetch(url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
      ...(signal !== undefined && { signal }),
    });
  const write = (path: string) => ({
    id: 1,
    method: "tools/call",
    params: { name: "write_file", arguments: { path, text: "" }, _meta: META },
  });
  const right = { "mcp-protocol-version": VERSION, "mcp-method": "tools/call", "mcp-name": "write_file" };

  it("runs a request whose headers say what it says, and refuses any other", async () => {
    const without = (name: keyof typeof right) => Object.fromEntries(Object.entries(right).filter(([key]) => key !== name)) as typeof right;
    const wrong = [
      without("mcp-method"),
      without("mcp-name"),
      without("mcp-protocol-version"),
      { ...right, "mcp-name": "read_file" },
      { ...right, "mcp-method": "tools/list" },
      { ...right, "mcp-protocol-version": "2025-11-25" },
    ];
    for (const headers of wrong) {
      const response = await post(write("unseen"), headers);
      expect([response.status, ((await response.json()) as Json).error.code]).toEqual([400, -32020]);
    }
    expect((await post(write("unseen"), { ...right, origin: "http://evil.example" })).status).toBe(403);
    expect((await post(write("unseen"), { ...right, authorization: "Bearer no" })).status).toBe(401);
    expect((await post({ ...write("unseen"), id: undefined }, right)).status).toBe(400);
    expect(existsSync(join(folder, "unseen"))).toBe(false);
    const encoded = { ...right, "mcp-name": `=?base64?${Buffer.from("write_file").toString("base64")}?=` };
    const answer = (await (await post(write("seen"), encoded)).json()) as Json;
    expect([answer.id, textOf(answer.result)]).toEqual([1, "Wrote seen."]);
  });

  it("says by the status what the modern era says by it", async () => {
    const ask = async (method: string, version = VERSION) => {
      const _meta = { ...META, "io.modelcontextprotocol/protocolVersion": version };
      const response = await post({ id: 2, method, params: { _meta } }, { "mcp-protocol-version": version, "mcp-method": method });
      return [response.status, ((await response.json()) as Json).error.code];
    };
    expect(await ask("ping")).toEqual([404, -32601]);
    expect(await ask("tools/list", "2027-01-01")).toEqual([400, -32022]);
  });

  it("cancels a call whose client hangs up, and keeps equal ids of clients apart", async () => {
    const call = { id: 7, method: "tools/call", params: { name: "slow", arguments: {}, _meta: { ...META, progressToken: "t" } } };
    rmSync(join(folder, "slow-cancelled"), { force: true });
    const cut = new AbortController();
    const response = await post(call, { ...right, "mcp-name": "slow" }, cut.signal);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const told = new TextDecoder().decode((await reader.read()).value);
    expect(told).toContain('"progressToken":"t"');
    expect(((await (await post({ ...write("same-id"), id: 7 }, right)).json()) as Json).id).toBe(7);
    cut.abort();
    await until(() => existsSync(join(folder, "slow-cancelled")));
  });
});

describe("a server of the modern era at a URL", () => {
  it("gets the arguments that its schema marks in headers, as the rules have left them, and a tool that cannot be told so is left out", async () => {
    const seen: { readonly method: string; readonly headers: IncomingHttpHeaders }[] = [];
    const header = (name: string) => ({ type: "string", "x-mcp-header": name });
    const tools = [
      {
        name: "query",
        inputSchema: { type: "object", properties: { region: header("Region"), deep: { properties: { who: header("Who") } } } },
      },
      { name: "twofold", inputSchema: { type: "object", properties: { a: header("Same"), b: header("same") } } },
    ];
    const results: { readonly [method: string]: object } = {
      "server/discover": { supportedVersions: [VERSION], capabilities: { tools: {} } },
      "tools/list": { tools, ttlMs: 0, cacheScope: "private" },
      "tools/call": { content: [{ type: "text", text: "queried" }] },
    };
    const server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      const { id, method } = JSON.parse(body);
      seen.push({ method, headers: request.headers });
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: { resultType: "complete", ...results[method] } }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const raw = new RawClient(["mcp", "proxy", `http://127.0.0.1:${port}/mcp`, "--name", "remote"], home.cli.env);
    expect((await raw.ask("tools/list")).result.tools.map(({ name }: Json) => name)).toEqual(["query"]);
    const called = await raw.call("query", { region: "us", deep: { who: "Zoë" } });
    expect(textOf(called.result)).toBe("queried");
    expect(seen.find(({ method }) => method === "tools/call")?.headers).toMatchObject({
      "mcp-protocol-version": VERSION,
      "mcp-method": "tools/call",
      "mcp-name": "query",
      "mcp-param-region": "eu",
      "mcp-param-who": `=?base64?${Buffer.from("Zoë").toString("base64")}?=`,
    });
    expect(seen.map(({ method }) => method)).not.toContain("initialize");
    await raw.close();
    server.closeAllConnections();
    server.close();
  });
});

describe("a server of both eras at a URL", () => {
  it("may die during a call and come back: the call is answered, and it is spoken to as before", async () => {
    let port = "0";
    const start = async () => {
      const child = spawn(process.execPath, [program("era-server"), folder, "both", port], { stdio: ["ignore", "pipe", "inherit"] });
      const [line] = (await once(child.stdout, "data")) as [Buffer];
      port = line.toString().trim();
      return child;
    };
    let server = await start();
    const raw = new RawClient(["mcp", "proxy", `http://127.0.0.1:${port}/mcp`, "--name", "mortal"], home.cli.env);
    rmSync(join(folder, "slow-began"), { force: true });
    const waiting = raw.call("slow", {});
    await until(() => existsSync(join(folder, "slow-began")));
    server.kill("SIGKILL");
    expect(textOf((await waiting).result)).toContain('"mortal" did not answer: ');
    expect(textOf((await raw.call("write_file", { path: "b", text: "" })).result)).toContain('"mortal" did not answer: ');
    server = await start();
    await until(async () => textOf((await raw.call("write_file", { path: "b", text: "" })).result) === "Wrote b.");
    await raw.close();
    server.kill("SIGKILL");
    const { servers } = await home.json<{ readonly servers: readonly Json[] }>("mcp", "status");
    expect(servers.find(({ name }) => name === "mortal").eras).toEqual({ client: "modern", server: "modern" });
  });
});

describe("a server of the legacy era", () => {
  it("cannot ask a client of the modern era outside of a call, or about one of several, and is told so", async () => {
    for (const name of ["slow-began", "when-began"]) rmSync(join(folder, name), { force: true });
    const raw = new RawClient(["mcp", "wrap", "--name", "asking", "--", process.execPath, program("files-server"), folder], home.cli.env);
    const asked = (await raw.call("ask_name", {})).result;
    expect(asked).toMatchObject({ resultType: "input_required", inputRequests: { q1: { method: "elicitation/create" } } });
    const { requestState } = asked;
    const another = await raw.call("write_file", { path: "x", text: "" }, { requestState, inputResponses: {} });
    expect(JSON.stringify(another)).toContain("not the call that the state belongs to");
    // A client that was asked may never answer: others can be asked meanwhile.
    expect((await raw.call("ask_name", {})).result).toMatchObject({ resultType: "input_required" });
    void raw.call("slow", {});
    await until(() => existsSync(join(folder, "slow-began")));
    void raw.call("when", { path: "never" });
    await until(() => existsSync(join(folder, "when-began")));
    expect(textOf((await raw.call("ask_name", {})).result)).toContain("several calls run");
    const inputResponses = { q1: { action: "accept", content: { name: "Ann" } } };
    const done = (await raw.call("ask_name", {}, { requestState, inputResponses })).result;
    expect(textOf(done)).toBe("Hello Ann.");
    const late = await raw.call("ask_name", {}, { requestState, inputResponses });
    expect(JSON.stringify(late)).toContain("the call that these answers belong to has ended");
    await raw.close();
  });
});
