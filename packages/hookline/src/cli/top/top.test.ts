import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createCliHome } from "../../../../../test/support/cli-home.js";
import { decideWaiting } from "../../../../../test/support/decide-waiting.js";
import { commandOnTerminal, startOnTerminal } from "../../../../../test/support/on-terminal.js";

vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });

const RULE = `
[[rule]]
name = "pushes"
event = "tool:before"
match = "tool.input.command contains 'git push'"
do = "ask"
message = "A push leaves this machine."
`;
const main = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
const LEFT = "\u001b[?7h\u001b[?25h\u001b[?1049l";

describe.skipIf(process.platform !== "linux")("hookline top", () => {
  const home = createCliHome();
  const hubFile = () => JSON.parse(readFileSync(join(home.state, "hub.json"), "utf8"));

  beforeAll(async () => {
    home.write("config/hookline/hookline.toml", RULE);
    expect((await home.run("up", "--detach", "--port", "0")).code).toBe(0);
  });
  afterAll(() => home.close());

  it("refuses without a terminal, and says what to use", async () => {
    const { code, out, err } = await home.run("top");
    expect([code, out, err]).toEqual([2, "", expect.stringContaining("needs a terminal")]);
    expect(err).toContain("tail --json");
  });

  it("approves and denies by key, shows the decisions, and gives the terminal back", async () => {
    const top = startOnTerminal(home, ["top"]);
    await top.shows("WAITING FOR YOU: 0");
    for (const [key, verdict, said] of [
      ["a", "allow", "approved"],
      ["d", "deny", "denied"],
    ] as const) {
      const asking = decideWaiting(home, `git push ${verdict} \u001b]0;title\u0007`);
      await top.shows("WAITING FOR YOU: 1");
      top.press(key);
      await top.shows("this call?");
      await top.shows("A push leaves this machine.");
      top.press("y");
      expect(await asking).toMatchObject({ verdict, actor: { kind: "person" } });
      await top.shows(said);
      await top.shows("WAITING FOR YOU: 0");
    }
    expect(top.out).not.toContain("\u001b]0;");
    top.press("\x03");
    expect(await top.ended).toBe(130);
    expect(top.out.trimEnd().endsWith(LEFT)).toBe(true);
  });

  it("gives the terminal back after a signal, and when the hub is gone", async () => {
    const shell = ["sh", "-c", 'echo "pid $$."; exec "$0" "$@"', process.execPath, main, "top"];
    const stopped = commandOnTerminal(shell, { env: home.env, cwd: home.folder });
    await stopped.shows("LIVE SESSIONS");
    process.kill(Number(/pid (\d+)\./.exec(stopped.out)?.[1]), "SIGTERM");
    expect([await stopped.ended, stopped.out.trimEnd().endsWith(LEFT)]).toEqual([143, true]);
    const left = startOnTerminal(home, ["top"]);
    await left.shows("LIVE SESSIONS");
    process.kill(hubFile().pid, "SIGTERM");
    expect(await left.ended).toBe(4);
    expect(left.out.slice(left.out.indexOf(LEFT))).toContain("Run: ");
  });
});
