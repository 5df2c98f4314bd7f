import { existsSync, readdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { createBus } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import type { HubFile } from "@hookline/core/internal/machine";
import { expect, it, onTestFinished } from "vitest";
import { playClient } from "../../../../../test/support/agent-client.ts";
import { inItsOwnProcess } from "../../../../../test/support/attached-agent.ts";
import { createCliHome } from "../../../../../test/support/cli-home.ts";
import { agents } from "../../agents/agents.js";
import { clientScript, putClient } from "../../agents/attach/client-script.js";
import { attachFolder } from "../../agents/client/attach-key.js";

const RULE =
  '[[rule]]\nname = "no-rm"\nevent = "tool:before"\nmatch = "tool.input.command =~ \'^rm$\'"\ndo = "block"\nmessage = "not here"\n';

async function hubAtHome() {
  const home = createCliHome();
  onTestFinished(() => home.close());
  home.write("config/hookline/hookline.toml", RULE);
  expect(await home.run("up", "--detach", "--port", "0")).toMatchObject({ code: 0 });
  const file = (): HubFile => JSON.parse(readFileSync(join(home.state, "hub.json"), "utf8")) as HubFile;
  return { ...home, file };
}

/** Calls one after the other until it is told to stop, and what each got. */
function stream(call: (n: number) => Promise<string>) {
  const answers: string[] = [];
  let isOver = false;
  const ended = (async () => {
    // A pause, because calls that fail at once would keep everything else in this process from running.
    for (let n = 0; !isOver; n++, await sleep(2)) answers.push(await call(n).catch((error: Error) => `failed: ${error.message}`));
  })();
  return {
    answers,
    async end() {
      isOver = true;
      await ended;
      return answers;
    },
  };
}

const call = (n: number) => ({ tool: { name: "bash", input: { command: n % 2 === 0 ? "ls" : "rm" } } });
const expected = (answers: readonly string[]) => answers.map((_, n) => (n % 2 === 0 ? "pass" : "deny no-rm"));

/** A program that keeps the address and the token that it found once. */
async function decide({ url, http, token }: HubFile, way: "port" | "socket", n: number): Promise<string> {
  const { hostname, port, host } = new URL(url);
  const where = way === "port" ? { host: hostname, port } : { socketPath: http };
  const body = JSON.stringify({ event: "tool:before", payload: call(n) });
  const headers = { host, authorization: `Bearer ${token}`, "content-type": "application/json" };
  const text = await new Promise<string>((resolve, reject) => {
    const sent = request({ ...where, method: "POST", path: "/api/decide", headers, agent: false }, (response) => {
      let said = "";
      response
        .setEncoding("utf8")
        .on("data", (part: string) => (said += part))
        .on("end", () => resolve(said));
    });
    sent.on("error", reject).end(body);
  });
  const { verdict, by } = JSON.parse(text) as { readonly verdict: string; readonly by?: string };
  return verdict === "deny" ? `${verdict} ${by}` : verdict;
}

it("replaces a running hub while agents call, and every call gets its own answer", { timeout: 300_000 }, async () => {
  const home = await hubAtHome();
  const before = home.file();
  const [claude] = agents.filter(({ id }) => id === "claude-code");
  if (claude === undefined) throw new Error("no agent");
  const folder = attachFolder(home.state);
  const client = clientScript({ agent: claude, isStrict: true, env: home.env, folder, socket: before.http });
  putClient(folder, client);
  const bus = createBus({ source: "agent" });
  const line = connectToHub(bus, { folder: home.state });
  onTestFinished(() => void line.close());
  await expect.poll(async () => (await bus.decide("tool:before", call(1))).by, { timeout: 60_000 }).toBe("no-rm");
  const streams = [
    stream(async (n) => {
      const command = call(n).tool.input.command;
      const input = JSON.stringify({ session_id: "s", hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command } });
      const { stdout } = await playClient(client, { event: "PreToolUse", input, wrapped: inItsOwnProcess });
      return stdout.includes("(rule no-rm): not here. ") ? "deny no-rm" : stdout === "" ? "pass" : stdout;
    }),
    stream(async (n) => {
      const { verdict, by } = await bus.decide("tool:before", call(n));
      // A process waits for the hub for as long as the gate has: 5 s, which a machine under load may need.
      if (by === "hub") return expected([...Array(n + 1).keys()].map(String))[n] ?? "";
      return verdict === "deny" ? `${verdict} ${by}` : verdict;
    }),
    stream((n) => decide(before, "socket", n)),
  ];
  await expect.poll(() => streams.every(({ answers }) => answers.length > 4), { timeout: 120_000 }).toBe(true);
  const upgraded = await home.run("upgrade", "--force");
  expect(upgraded).toMatchObject({ code: 0, err: expect.stringContaining("has taken over") });
  const counts = streams.map(({ answers }) => answers.length);
  await expect
    .poll(() => streams.every(({ answers }, index) => answers.length > (counts[index] ?? 0) + 4), { timeout: 120_000 })
    .toBe(true);
  for (const one of streams) {
    const answers = await one.end();
    expect(answers).toEqual(expected(answers));
  }
  const after = home.file();
  expect(after).toMatchObject({ url: before.url, http: before.http, token: before.token });
  expect([after.pid !== before.pid, after.instance !== before.instance]).toEqual([true, true]);
  expect(await decide(before, "port", 1)).toBe("deny no-rm");
  expect(existsSync(join(folder, "misses.log"))).toBe(false);
  expect((await home.run("verify")).err).toContain("The record is intact.");
  expect(readdirSync(join(home.folder, "run", "hookline")).sort()).toEqual(["http.sock", "line.sock"]);
  expect(await home.run("down")).toMatchObject({ code: 0 });
  expect(readdirSync(join(home.folder, "run", "hookline"))).toEqual([]);
});

it("leaves a hub alone that it need not or cannot replace", { timeout: 300_000 }, async () => {
  const home = await hubAtHome();
  const { pid } = home.file();
  expect(await home.run("upgrade")).toMatchObject({ code: 0, err: expect.stringContaining("which is this one") });
  setVersion(home.state, 9_999);
  const refused = await home.run("upgrade", "--force");
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("git pull && npm ci && npm run build") });
  expect(home.file().pid).toBe(pid);
  expect(await home.run("down")).toMatchObject({ code: 0 });
  for (const words of [["up", "--detach"], ["doctor"], ["upgrade"]]) {
    const { code, out, err } = await home.run(...words);
    expect([words[0], code, `${out}${err}`.includes("git pull && npm ci && npm run build")]).toEqual([words[0], 1, true]);
    expect(`${out}${err}`).not.toMatch(words[0] === "doctor" ? /hookline up/ : /hookline doctor/);
  }
});

function setVersion(state: string, version: number): void {
  const database = new DatabaseSync(join(state, "events.db"));
  database.exec(`PRAGMA user_version = ${version}`);
  database.close();
}
