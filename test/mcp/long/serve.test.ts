import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { McpHome, textOf, until } from "../mcp-home.ts";

const RULES = `
[[rule]]
name = "no-rm"
match = "tool.name == 'mcp__shell__run' && tool.input.command contains 'rm'"
do = "block"
message = "No rm."

[[rule]]
name = "quiet"
tool = "mcp__shell__make"
match = "tool.input.quiet != true"
do = "modify"
set = { "tool.input.quiet" = true }

[[rule]]
name = "ask-push"
tool = "mcp__shell__push"
do = "ask"

[[rule]]
name = "hide-keys"
do = "replace"
find = 'key-\\d+'
with = "[key]"
`;

const home = new McpHome();
beforeAll(() => home.up(RULES));
afterAll(() => home.close());

const anything = z.looseObject({});
const invoke = (name: string, tool: string, args: object) => ({
  method: "interceptor/invoke",
  params: { name, event: "tools/call", phase: "request", payload: { name: tool, arguments: args }, config: { server: "shell" } },
});

describe("hookline mcp serve", () => {
  it("searches events, explains decisions, lists approvals and counts usage, and offers nothing that operates", async () => {
    const emitted = await home.cli.run("emit", "agent:start", "--payload", '{"model":"m1"}');
    expect(emitted.code).toBe(0);
    const client = await home.connect(["mcp", "serve"]);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      "search_events",
      "explain_decision",
      "list_approvals",
      "usage",
    ]);
    const found = JSON.parse(textOf(await client.callTool({ name: "search_events", arguments: { event: "agent:*", limit: 5 } })));
    const [event] = found.events;
    expect(JSON.parse(textOf(await client.callTool({ name: "explain_decision", arguments: { id: event.id } })))).toMatchObject({
      event: { id: event.id },
    });
    expect(JSON.parse(textOf(await client.callTool({ name: "usage" })))).toHaveProperty("topTools");
    expect(JSON.parse(textOf(await client.callTool({ name: "list_approvals" })))).toHaveProperty("approvals");
    await expect(client.request({ method: "interceptors/list" }, anything)).rejects.toThrow("Method not found");
  });

  it("is an interceptor server of the draft instead, if asked: it validates, rewrites and asks a person", async () => {
    expect((await home.cli.run("mcp", "serve", "--interceptors", "latest")).err).toContain("sep-2624-2026-09");
    const client = await home.connect(["mcp", "serve", "--interceptors", "sep-2624-2026-09"]);
    await expect(client.request({ method: "tools/list" }, anything)).rejects.toThrow("Method not found");
    const { interceptors } = await client.request({ method: "interceptors/list", params: { event: "tools/call" } }, anything);
    const hooks = [{ phase: "request" }, { phase: "response" }];
    expect(interceptors).toMatchObject([
      { name: "hookline-guards", type: "validation", hooks },
      { name: "hookline-rewrites", type: "mutation", hooks },
    ]);
    expect(await client.request(invoke("hookline-guards", "run", { command: "rm x" }), anything)).toMatchObject({
      interceptor: "hookline-guards",
      valid: false,
      severity: "error",
      messages: [{ message: "No rm." }],
    });
    expect(await client.request(invoke("hookline-guards", "run", { command: "ls" }), anything)).toMatchObject({ valid: true });
    expect(await client.request(invoke("hookline-rewrites", "make", {}), anything)).toMatchObject({
      modified: true,
      payload: { name: "make", arguments: { quiet: true } },
    });
    expect(await client.request(invoke("hookline-guards", "make", {}), anything)).toMatchObject({ valid: false });
    expect(await client.request(invoke("hookline-guards", "make", { quiet: true }), anything)).toMatchObject({ valid: true });
    const twofold = invoke("hookline-guards", "run", { command: "rm" });
    Object.assign(twofold.params.payload, { params: { name: "run", arguments: {} } });
    await expect(client.request(twofold, anything)).rejects.toThrow("a request and parameters at once");
    await expect(client.request(invoke("nobody", "run", {}), anything)).rejects.toThrow("There is no interceptor");
    const asked = client.request(invoke("hookline-guards", "push", {}), anything);
    const [waiting] = await until(async () => {
      const found = await home.json<readonly { readonly id: string }[]>("approvals");
      return found.length > 0 ? found : undefined;
    });
    await home.cli.run("approve", waiting?.id ?? "");
    expect(await asked).toMatchObject({ valid: true });
  });

  it("gives a response what the rules leave of it", async () => {
    const client = await home.connect(["mcp", "serve", "--interceptors", "sep-2624-2026-09"]);
    const payload = { content: [{ type: "text", text: "key-12" }] };
    const answered = (name: string) => ({
      method: "interceptor/invoke",
      params: { name, event: "tools/call", phase: "response", payload },
    });
    expect(await client.request(answered("hookline-guards"), anything)).toMatchObject({ phase: "response", valid: true });
    expect(await client.request(answered("hookline-rewrites"), anything)).toMatchObject({
      modified: true,
      payload: { content: [{ type: "text", text: "[key]" }] },
    });
  });

  it("only tells what it would do, and asks nobody, with --audit", async () => {
    const client = await home.connect(["mcp", "serve", "--interceptors", "sep-2624-2026-09", "--audit", "--redact"]);
    const { interceptors } = await client.request({ method: "interceptors/list" }, anything);
    expect(interceptors).toMatchObject([{ mode: "audit" }, { mode: "audit" }, { name: "hookline-redacts", mode: "audit" }]);
    expect(await client.request(invoke("hookline-guards", "push", {}), anything)).toMatchObject({ valid: false });
    expect(await home.json("approvals")).toEqual([]);
  });

  it("fails closed without a hub", async () => {
    const client = await home.connect(["mcp", "serve", "--interceptors", "sep-2624-2026-09"]);
    const tools = await home.connect(["mcp", "serve"]);
    await home.cli.run("down");
    await expect(client.request(invoke("hookline-guards", "run", { command: "ls" }), anything)).rejects.toThrow();
    expect(await tools.callTool({ name: "usage" })).toMatchObject({ isError: true });
  });
});
