import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream, type PermissionOption } from "@agentclientprotocol/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MAIN, McpHome, program, until } from "../mcp-home.ts";

const RULES = `
[[rule]]
name = "no-rm"
tool = "Bash"
match = "tool.input.command contains 'rm -rf'"
do = "block"

[[rule]]
name = "ls-is-fine"
tool = "Bash"
match = "tool.input.command == 'ls'"
do = "allow"

[[rule]]
name = "ask-push"
tool = "Bash"
match = "tool.input.command contains 'git push'"
do = "ask"
`;

const home = new McpHome();
beforeAll(() => home.up(RULES));
afterAll(() => home.close());

const option = (optionId: string, kind: PermissionOption["kind"]): PermissionOption => ({ optionId, kind, name: optionId });
const all = [option("y", "allow_once"), option("yy", "allow_always"), option("n", "reject_once")];
const onlyAllow = [option("y", "allow_once"), option("yy", "allow_always")];

/** Lets the agent ask for a command; gives what it was answered, and how often the editor was asked. The editor cancels the turn after `cancelAfter`. */
async function ask(
  command: string,
  options = all,
  cancelAfter?: () => Promise<unknown>,
): Promise<{ readonly outcome: unknown; readonly asked: number }> {
  const child = spawn(process.execPath, [MAIN, "acp", "--name", "tester", "--", process.execPath, program("acp-agent")], {
    env: home.cli.env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const stream = ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
  );
  let asked = 0;
  let said = "";
  const editor = client({ name: "editor" })
    .onRequest(methods.client.session.requestPermission, () => {
      asked++;
      return { outcome: { outcome: "selected", optionId: "by-the-editor" } };
    })
    .onNotification(methods.client.session.update, ({ params: { update } }) => {
      if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") said += update.content.text;
    });
  try {
    await editor.connectWith(stream, async (agent) => {
      await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
      const { sessionId } = await agent.request(methods.agent.session.new, { cwd: home.cli.folder, mcpServers: [] });
      const toolCall = { toolCallId: "c1", kind: "execute", title: command, rawInput: { command } };
      const prompted = agent.request(methods.agent.session.prompt, {
        sessionId,
        prompt: [{ type: "text", text: JSON.stringify({ toolCall, options }) }],
      });
      await cancelAfter?.();
      if (cancelAfter !== undefined) await agent.notify(methods.agent.session.cancel, { sessionId });
      await prompted;
      await until(() => said !== "");
    });
  } finally {
    child.kill("SIGTERM");
  }
  return { outcome: JSON.parse(said), asked };
}

describe("hookline acp", () => {
  it("rejects what a rule blocks, and cancels if only allowing is offered", async () => {
    expect(await ask("rm -rf /")).toEqual({ outcome: { outcome: "selected", optionId: "n" }, asked: 0 });
    expect(await ask("rm -rf /", onlyAllow)).toEqual({ outcome: { outcome: "cancelled" }, asked: 0 });
  });

  it("allows once what a rule allows, and leaves the rest to the editor", async () => {
    expect(await ask("ls")).toEqual({ outcome: { outcome: "selected", optionId: "y" }, asked: 0 });
    expect(await ask("make")).toEqual({ outcome: { outcome: "selected", optionId: "by-the-editor" }, asked: 1 });
  });

  it("waits for a person at the hub", async () => {
    const answered = ask("git push");
    const { id } = await until(async () => (await home.json<readonly { readonly id: string }[]>("approvals"))[0]);
    await home.cli.run("approve", id);
    expect(await answered).toEqual({ outcome: { outcome: "selected", optionId: "y" }, asked: 0 });
  });

  it("answers that a turn is cancelled as soon as the editor cancels it, and the call cannot be allowed later", async () => {
    const waiting = async () => (await home.json<readonly unknown[]>("approvals"))[0];
    const { outcome } = await ask("git push --force", all, () => until(waiting));
    expect(outcome).toEqual({ outcome: "cancelled" });
    await until(async () => (await waiting()) === undefined);
  });

  it("records the session: prompt, tool calls, answer", async () => {
    const { out } = await home.cli.run("tail", "--no-follow", "--json", "-n", "200");
    const events = out.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
    const names = new Set(events.filter(({ source }) => source.app === "acp-tester").map(({ event }) => event));
    for (const event of ["session:start", "prompt:submit", "tool:progress", "tool:before", "tool:after", "message:delta", "turn:end"])
      expect(names).toContain(event);
  });
});

describe("hookline acp without a hub", () => {
  it("denies", async () => {
    await home.cli.run("down");
    expect(await ask("ls", onlyAllow)).toEqual({ outcome: { outcome: "cancelled" }, asked: 0 });
  });
});
