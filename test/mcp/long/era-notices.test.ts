import { mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { McpHome, program, textOf, until } from "../mcp-home.ts";
import { RawClient } from "../raw-client.ts";

const home = new McpHome();
const folder = join(home.cli.folder, "told");
const SERVERS = { legacy: [program("files-server"), folder], modern: [program("era-server"), folder, "modern"] } as const;
const wrapped = (name: string, kind: keyof typeof SERVERS) => ["mcp", "wrap", "--name", name, "--", process.execPath, ...SERVERS[kind]];
beforeAll(async () => {
  mkdirSync(folder);
  await home.up();
});
afterAll(() => home.close());

const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
const LOUD = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/logLevel": "info",
};

describe.each(["legacy", "modern"] as const)("what a server of the %s era tells", (kind) => {
  it("reaches a client of the modern era that has asked for it, and no other", async () => {
    const raw = new RawClient(wrapped(`modern-${kind}`, kind), home.cli.env);
    const heard = (method: string) => raw.heard.filter((message) => message.method === `notifications/${method}`);
    const tell = (what: string, more: object = {}) => raw.call("tell", { what }, more);
    await tell("note");
    void raw.ask("subscriptions/listen", { notifications: { toolsListChanged: true, resourceSubscriptions: ["note://one"] } });
    await until(() => heard("subscriptions/acknowledged").length > 0);
    const [{ params }] = heard("subscriptions/acknowledged");
    expect(params.notifications).toEqual({ toolsListChanged: true, resourceSubscriptions: ["note://one"] });
    await until(async () => {
      await tell("note");
      return heard("resources/updated").length > 0;
    });
    await tell("tool");
    await until(() => heard("tools/list_changed").length > 0);
    for (const { params: told } of [...heard("resources/updated"), ...heard("tools/list_changed")])
      expect(told._meta).toEqual({ [SUBSCRIPTION]: params._meta[SUBSCRIPTION] });
    await tell("log");
    expect(heard("message")).toEqual([]);
    expect(textOf((await tell("log", { _meta: LOUD })).result)).toBe("log");
    await until(() => heard("message").length > 0);
    expect(heard("message")).toMatchObject([{ params: { level: "warning", data: "heard" } }]);
    await raw.close();
  });

  it("reaches a client of the legacy era as it is used to", async () => {
    const client = await home.connect(wrapped(`legacy-${kind}`, kind));
    const heard: unknown[] = [];
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void heard.push("tools"));
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(params.uri));
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.push(params.data));
    await client.setLoggingLevel("info");
    await client.subscribeResource({ uri: "note://one" });
    const tell = (what: string) => client.callTool({ name: "tell", arguments: { what } });
    await until(async () => {
      await tell("note");
      return heard.includes("note://one");
    });
    await tell("log");
    await until(() => heard.includes("heard"));
    await tell("tool");
    await until(() => heard.includes("tools"));
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("new");
    await client.unsubscribeResource({ uri: "note://one" });
  });
});
