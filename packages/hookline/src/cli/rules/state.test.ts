import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { createCliHome } from "../../../../../test/support/cli-home.js";
import { call } from "../../../../../test/support/hook-files.js";
import { until } from "../../../../../test/support/http-hub.js";
import { isRunning } from "../../../../../test/support/play-extension.js";

// The built command line and real hubs, one after the other, on one state folder.
const home = createCliHome();
afterAll(() => home.close());
const toml = `
[[rule]]
name = "slow-down"
match = "tool.input.command contains deploy"
count = 3
within = "1h"
do = "block"

[[rule]]
name = "read-secret"
match = "tool.input.command contains '.env'"
do = "notify"
message = "a secret was read"

[[rule]]
name = "send"
match = "tool.input.command contains curl"
after = "read-secret"
do = "ask"

[[rule]]
name = "loop"
repeats = 2
do = "block"
message = "You are in a loop."

[[rule]]
name = "budget"
budget = { tokens = 1000 }
per = "day"
do = "block"
`;
const log = join(home.state, "rule-state.log");
const hub = () =>
  JSON.parse(readFileSync(join(home.state, "hub.json"), "utf8")) as { readonly url: string; readonly token: string; readonly pid: number };
const up = async (): Promise<void> => expect(await home.run("up", "--detach", "--port", "0")).toMatchObject({ code: 0 });

async function ask(command: string, session: object = { id: "s1" }): Promise<string> {
  const { url, token } = hub();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ event: "tool:before", payload: { ...call(command), session } });
  return ((await (await fetch(`${url}/api/decide`, { method: "POST", headers, body })).json()) as { verdict: string }).verdict;
}
async function emit(event: string, payload: object): Promise<void> {
  expect(await home.run("emit", event, "--payload", JSON.stringify(payload))).toMatchObject({ code: 0 });
}
async function kill(): Promise<void> {
  const { pid } = hub();
  process.kill(pid, "SIGKILL");
  await until(() => !isRunning(pid));
}
interface Listed {
  readonly name: string;
  readonly acts?: string;
  readonly remembers?: { readonly rows: readonly { readonly of: string; readonly value: string }[]; readonly problem?: string };
}
async function listed(name: string): Promise<Listed | undefined> {
  return (JSON.parse((await home.run("rules", "list", "--json")).out) as Listed[]).find((row) => row.name === name);
}

it("what rules remember survives a killed hub, is listed, and fails closed when its record is damaged", async () => {
  home.write("config/hookline/hookline.toml", toml);
  await up();
  expect([await ask("deploy 1"), await ask("cat .env"), await ask("deploy 2")]).toEqual(["pass", "pass", "pass"]);
  for (let run = 0; run < 2; run++) await emit("tool:after", { ...call("make"), status: "ok", session: { id: "s1" } });
  await emit("llm:after", { session: { id: "s9" }, usage: { inputTokens: 900, outputTokens: 20 } });
  await until(() => readFileSync(log, "utf8").includes('"usage"'));
  await kill();
  await up();
  expect(await ask("make")).toBe("deny");
  expect(await ask("curl x", { id: "child", parentId: "s1" })).toBe("ask");
  expect(await ask("curl x", { id: "s2" })).toBe("pass");
  expect([await ask("deploy 3", { id: "s2" }), await ask("deploy 3")]).toEqual(["pass", "deny"]);
  expect(await listed("slow-down")).toMatchObject({
    acts: "3 times in 1h per session",
    remembers: {
      rows: [
        { of: "session s1", value: "3 of 3", isReached: true },
        { of: "session s2", value: "1 of 3", isReached: false },
      ],
    },
  });
  expect(await listed("budget")).toMatchObject({ remembers: { rows: [{ of: "today", value: "920 tokens of 1000 tokens" }] } });
  expect((await home.run("rules", "list")).out).toContain(
    "slow-down acts: 3 times in 1h per session; session s1: 3 of 3, reached; session s2: 1 of 3",
  );

  expect(await home.run("rules", "reset", "slow-down")).toMatchObject({ code: 0 });
  expect([await ask("deploy 4"), await ask("make")]).toEqual(["pass", "deny"]);
  expect(await home.run("rules", "reset", "read-secret")).toMatchObject({ code: 1, err: expect.stringContaining("remembers nothing") });

  // A line that a killed hub did not finish was never relied on.
  await kill();
  appendFileSync(log, "0000");
  await up();
  expect(await ask("make")).toBe("deny");

  await kill();
  const whole = readFileSync(log, "utf8");
  writeFileSync(log, whole.replace("slow-down", "slow-dawn"));
  await up();
  expect(await ask("deploy 5")).toBe("deny");
  expect(await listed("slow-down")).toMatchObject({
    remembers: { problem: expect.stringMatching(/rule-state\.log": line \d+ is damaged/) },
  });
  const status = await home.run("status");
  expect(status.out + status.err).toMatch(/rule-state\.log.*hookline rules reset/);
  expect(await home.run("rules", "reset")).toMatchObject({ code: 0 });
  expect([await ask("deploy 6"), existsSync(`${log}.damaged`)]).toEqual(["pass", true]);

  // Removing the record does not reset what was counted.
  await kill();
  rmSync(log);
  await up();
  expect(await ask("deploy 7")).toBe("deny");
});
