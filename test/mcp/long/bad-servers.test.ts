import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LoggingMessageNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { McpHome, textOf, until } from "../mcp-home.ts";

const home = new McpHome();
let client: Awaited<ReturnType<McpHome["wrapped"]>>;

beforeAll(async () => {
  await home.up();
  client = await home.wrapped();
});
afterAll(() => home.close());

const misbehave = (how: string) => client.callTool({ name: "misbehave", arguments: { how } });
const works = async () => expect(textOf(await client.callTool({ name: "large", arguments: { bytes: 3 } }))).toBe("xxx");

describe("a server that misbehaves", () => {
  it("may write junk: it is left out and reported once", async () => {
    expect(textOf(await misbehave("junk"))).toBe("did junk");
    await works();
    expect(client.errors.match(/sent a line that is not JSON\./g)).toHaveLength(1);
    expect(client.errors.match(/not one JSON-RPC message/g)).toHaveLength(1);
  });

  it("may lie about ids: the first answer to a question counts, and all others are left out", async () => {
    const answers = await Promise.all([misbehave("ids"), client.callTool({ name: "large", arguments: { bytes: 5 } })]);
    expect(answers.map(textOf)).toEqual([expect.stringMatching(/^id \d+$/), "xxxxx"]);
    await works();
    expect(client.errors).toContain("an answer to an unknown question");
  });

  it("may flood: everything arrives in order, and calls go on", async () => {
    const seen: string[] = [];
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void seen.push(String(params.data)));
    expect(textOf(await misbehave("flood"))).toBe("did flood");
    await until(() => seen.length === 20_000);
    expect(seen.every((text, n) => text === `flood ${n}`)).toBe(true);
    await works();
  });

  it("may send a message that is too large: whoever waits is told, and calls go on", async () => {
    const answer = await misbehave("huge");
    expect(answer.isError).toBe(true);
    expect(textOf(answer)).toContain("a message of more than 32 MiB, which was dropped");
    await works();
  });

  it("may send a large result", async () => {
    expect(textOf(await client.callTool({ name: "large", arguments: { bytes: 6_000_000 } }))).toHaveLength(6_000_000);
  });

  it("may not be there at all: each request is answered with the reason", async () => {
    const missing = await home.wrapped({ name: "missing", command: ["/no/such/program"] });
    await expect(missing.listTools()).rejects.toThrow(/"missing" did not answer: It could not be reached: .*ENOENT/);
    expect(textOf(await missing.callTool({ name: "x" }))).toContain("ENOENT");
  });

  it("may end before it says anything", async () => {
    const ending = await home.wrapped({ name: "ending", command: [process.execPath, "-e", "process.exit(7)"] });
    await expect(ending.listTools()).rejects.toThrow("It exited with code 7.");
  });
});

describe("what servers did wrong", () => {
  it("is in doctor and in the record, each kind once", async () => {
    const dying = await home.wrapped({ name: "dying" });
    expect(textOf(await dying.callTool({ name: "misbehave", arguments: { how: "exit" } }))).toContain("It exited with code 3.");
    const { checks } = await home.json<{ checks: { id: string; state: string; detail: string }[] }>("doctor");
    const found = checks.find(({ id }) => id === "mcp-servers");
    expect(found?.state).toBe("warn");
    const faults = [
      /"files" sent a line that is not JSON/g,
      /"files" .*not one JSON-RPC message/g,
      /"files" .*an answer to an unknown question/g,
      /"files" .*a message of more than 32 MiB/g,
      /"missing" .*ENOENT/g,
      /"ending" .*exited with code 7/g,
      /"dying" .*exited with code 3/g,
    ];
    for (const fault of faults) expect.soft(found?.detail.match(fault), String(fault)).toHaveLength(1);
    const { out } = await home.cli.run("tail", "--no-follow", "--event", "mcp:fault", "--json");
    for (const fault of ["an answer to an unknown question", "a message of more than 32 MiB", "exited with code 3"])
      expect.soft(out).toContain(fault);
  });
});

describe("a server that starts slowly", () => {
  it("does not keep the client waiting, and what was asked meanwhile is answered", async () => {
    const slow = new McpHome();
    try {
      await slow.up();
      mkdirSync(slow.files);
      writeFileSync(join(slow.files, "slow"), "4000");
      const early = await slow.wrapped();
      expect(early.getServerCapabilities()).toMatchObject({ tools: {}, prompts: {}, resources: {} });
      expect(early.getServerVersion()).toMatchObject({ name: "files" });
      expect((await early.listTools()).tools.length).toBeGreaterThan(3);
    } finally {
      await slow.close();
    }
  });
});

describe("a client that misbehaves", () => {
  it("gets an error for junk and for an id that it still uses, and calls go on", async () => {
    const lines = home.cli.start("mcp", "wrap", "--name", "files", "--", process.execPath, program, home.files);
    const send = (message: object | string) =>
      lines.child.stdin?.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
    const answers = () => lines.out.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
    const request = (id: unknown, method: string, params: object = {}) => send({ jsonrpc: "2.0", id, method, params });
    send("junk");
    request(1, "tools/list");
    request(2, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } });
    await until(() => answers().some(({ id }) => id === 2));
    request(3, "tools/call", { name: "slow" });
    request(3, "tools/call", { name: "slow" });
    // Text cannot be made of it.
    send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: { toString: null } } });
    request(4, "tools/call", { name: "large", arguments: ["bytes"] });
    request(5, "nobody/knows", { x: 1 });
    send({ jsonrpc: "2.0", id: 99, result: {} });
    await until(() => answers().some(({ id }) => id === 5) && answers().some(({ id }) => id === 4) && answers().some(({ id }) => id === 3));
    const of = (wanted: unknown) => answers().find(({ id }) => id === wanted);
    expect(of(null)).toMatchObject({ error: { code: -32700 } });
    expect(of(1)).toMatchObject({ error: { message: "Send initialize first." } });
    expect(of(3)).toMatchObject({ error: { message: "This id is still in use." } });
    expect(of(4)).toMatchObject({ error: { code: -32602 } });
    expect(of(5)).toMatchObject({ error: { code: -32601 } });
    await until(() => existsSync(join(home.files, "slow-began")));
    lines.child.stdin?.end();
    expect((await lines.ended).code).toBe(0);
  });
});

const program = new URL("../programs/files-server.ts", import.meta.url).pathname;
