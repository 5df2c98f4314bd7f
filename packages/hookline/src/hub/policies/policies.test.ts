import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createBus } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import { type Hub, startHub } from "hookline/hub";
import { describe, expect, it, onTestFinished } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.js";

const call = (command: string) => ({ tool: { name: "Bash", callId: "1", input: { command } } });
const noPush = '[[rule]]\nname = "no-push"\nmatch = "tool.input.command =~ \'git push\'"\ndo = "block"\nmessage = "not from here"\n';
const noRm = '[[rule]]\nname = "no-rm"\nmatch = "tool.input.command contains rm"\ndo = "block"\n';

async function hubWith(text: string): Promise<{ hub: Hub; path: string; state: string; problems: string[]; write(text: string): void }> {
  const folder = testFolder();
  const [path, state] = [join(folder, "hookline.toml"), join(folder, "state")];
  const write = (content: string): void => writeFileSync(path, content, { mode: 0o600 });
  write(text);
  const problems: string[] = [];
  const hub = await startHub({ state, port: 0, config: path, onProblem: (problem) => problems.push(problem) });
  onTestFinished(() => hub.close());
  return { hub, path, state, problems, write };
}
const ruleNames = ({ parts }: Hub) => parts.bus.list().map(({ name }) => name);

describe("rules in the hub", () => {
  it("guard a process that is attached, and what is written later does so, too", async () => {
    const { hub, state, write } = await hubWith("");
    const bus = createBus({ source: "agent" });
    const connection = connectToHub(bus, { source: "agent", folder: state } as never);
    onTestFinished(async () => void (await connection.close()));
    write(noPush);
    await expect
      .poll(async () => (await bus.decide("tool:before", call("git push"))).reason, { timeout: 10_000 })
      .toContain("not from here");
    expect(await bus.decide("tool:before", call("ls"))).toMatchObject({ verdict: "pass" });
    write("");
    await expect.poll(async () => (await bus.decide("tool:before", call("git push"))).verdict, { timeout: 10_000 }).toBe("pass");
    expect(hub.parts.gates.list()).toEqual([]);
  });

  it("keep the last good version, whatever is wrong with the new one", async () => {
    const { hub, path, problems, write } = await hubWith(noPush);
    const wrong = ["[[rule", `${noPush}[[rule]]\nname = "x"\ndo = "blok"\n`, `${noRm}[[hook]]\nevent = "tool:before"\n`, "rule = 1"];
    for (const text of wrong) {
      const before = problems.length;
      write(text);
      await expect.poll(() => problems.slice(before).join("\n"), { timeout: 5_000 }).toContain("stay as they were");
      expect(ruleNames(hub)).toEqual(["no-push"]);
    }
    rmSync(path);
    await expect.poll(() => problems.at(-1), { timeout: 5_000 }).toContain("The file is gone. The rules and hooks stay");
    expect(ruleNames(hub)).toEqual(["no-push"]);
    write(noRm);
    await expect.poll(() => ruleNames(hub), { timeout: 5_000 }).toEqual(["no-rm"]);
  });

  it("keep closed what a broken guard would have guarded, until it is mended", async () => {
    const text = `${noRm}[[hook]]\nname = "typo"\nevent = "tool:before"\ntols = "bash"\ntool = "Bash"\nmodule = "./x.mjs"\n`;
    const { hub, path, write } = await hubWith(text);
    const reason = `The guard "typo" is wrong (${path}:5)`;
    expect(await hub.parts.bus.decide("tool:before", call("ls"))).toMatchObject({
      verdict: "deny",
      reason: expect.stringContaining(reason),
    });
    expect(await hub.parts.bus.decide("tool:before", { tool: { name: "Edit", input: {} } })).toMatchObject({ verdict: "pass" });
    write(noRm);
    await expect.poll(async () => (await hub.parts.bus.decide("tool:before", call("ls"))).verdict, { timeout: 5_000 }).toBe("pass");
  });

  it("count on when others come behind them", async () => {
    const { hub, write } = await hubWith(noPush);
    await hub.parts.bus.decide("tool:before", call("git push"));
    write(`# a comment\n\n${noPush}${noRm}`);
    await expect.poll(() => ruleNames(hub), { timeout: 5_000 }).toEqual(["no-push", "no-rm"]);
    expect(hub.parts.bus.stats().map(({ name, calls }) => [name, calls])).toEqual([
      ["no-push", 1],
      ["no-rm", 0],
    ]);
  });

  it("notify through the store, and not of their own notices", async () => {
    const { hub } = await hubWith('[[rule]]\nname = "tell"\nevent = "*"\ndo = "notify"\nmessage = "look here"\n');
    const seen: unknown[] = [];
    onTestFinished(
      hub.parts.live.watch({}, (arrivals) => seen.push(...arrivals.map(({ envelope }) => [envelope.event, envelope.payload]))),
    );
    await hub.parts.bus.emit("session:end", { session: { id: "s1" } });
    const notice = { message: "look here", rule: "tell", event: "session:end", session: { id: "s1" } };
    await expect.poll(() => seen, { timeout: 5_000 }).toEqual([["notification:sent", expect.objectContaining(notice)]]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(seen).toHaveLength(1);
  });
});
