import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createBus } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import { type Hub, startHub } from "hookline/hub";
import { describe, expect, it, onTestFinished } from "vitest";
import { call, denying, denyingProgram, extensionJson, hookYaml, putFiles } from "../../../../../test/support/hook-files.js";
import { pidIn } from "../../../../../test/support/hooks-on-bus.js";
import { isRunning } from "../../../../../test/support/play-extension.js";
import { testFolder } from "../../../../../test/support/test-folder.js";

const noPush = '[[rule]]\nname = "no-push"\nmatch = "tool.input.command =~ \'git push\'"\ndo = "block"\nmessage = "not from here"\n';
const noRm = '[[rule]]\nname = "no-rm"\nmatch = "tool.input.command contains rm"\ndo = "block"\n';

async function hubWith(text: string): Promise<{ hub: Hub; path: string; state: string; problems: string[]; write(text: string): void }> {
  const folder = testFolder();
  const [path, state] = [join(folder, "hookline.toml"), join(folder, "state")];
  const write = (content: string): void => writeFileSync(path, `${content}\n[policy]\nautoAccept = "all"\n`, { mode: 0o600 });
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
      .poll(async () => (await bus.decide("tool:before", call("git push"))).reason, { timeout: 60_000 })
      .toContain("not from here");
    expect(await bus.decide("tool:before", call("ls"))).toMatchObject({ verdict: "pass" });
    write("");
    await expect.poll(async () => (await bus.decide("tool:before", call("git push"))).verdict).toBe("pass");
    expect(hub.parts.gates.list()).toEqual([]);
  });

  it("keep the last good version, whatever is wrong with the new one", async () => {
    const { hub, path, problems, write } = await hubWith(noPush);
    const wrong = [
      "[[rule",
      `${noPush}[[rule]]\nname = "x"\ndo = "blok"\n`,
      `${noRm}[[hook]]\nevent = "tool:before"\n`,
      "rule = 1",
      noRm.replace("rule", "rules"),
    ];
    for (const text of wrong) {
      const before = problems.length;
      write(text);
      await expect.poll(() => problems.slice(before).join("\n")).toContain("stay as they were");
      expect(ruleNames(hub)).toEqual(["no-push"]);
    }
    rmSync(path);
    await expect.poll(() => problems.at(-1)).toContain("The file does not exist any more. The rules and hooks stay");
    expect(ruleNames(hub)).toEqual(["no-push"]);
    write(noRm);
    await expect.poll(() => ruleNames(hub)).toEqual(["no-rm"]);
  });

  it("of a large file are adopted in slices, and each question is judged by the old version or by the new one", async () => {
    const many = (version: string) =>
      Array.from(
        { length: 1_500 },
        (_, at) => `[[rule]]\nname = "r${at}"\nmatch = "tool.input.command contains 'n${at}.'"\ndo = "block"\nmessage = "${version}"\n`,
      ).join("");
    const { hub, write } = await hubWith(noPush);
    const { bus } = hub.parts;
    const seen: string[] = [];
    const look = async () => {
      const first = (await bus.decide("tool:before", call("n0."))).reason;
      const last = (await bus.decide("tool:before", call("n1499."))).reason;
      const old = (await bus.decide("tool:before", call("git push"))).reason;
      seen.push(`${ruleNames(hub).length} rules: ${first}, ${last}, ${old}`);
      await new Promise((resolve) => setImmediate(resolve));
      return seen.at(-1);
    };
    write(many("one"));
    const end = Date.now() + 50_000;
    while (!(await look())?.includes("one, one") && Date.now() < end);
    // A change that arrives meanwhile comes after it.
    write(many("two"));
    await sleep(150);
    write(many("three"));
    while (!(await look())?.includes("three, three") && Date.now() < end);
    const versions = [...new Set(seen)];
    expect(versions.filter((version) => !version.includes("two"))).toEqual([
      "1 rules: undefined, undefined, not from here",
      "1500 rules: one, one, undefined",
      "1500 rules: three, three, undefined",
    ]);
    for (const version of versions.slice(2, -1)) expect(version).toBe("1500 rules: two, two, undefined");
    // In one piece, the loop above would not have had a turn.
    expect(seen.filter((version) => version.startsWith("1 rules")).length).toBeGreaterThan(10);
  });

  it("deny what a broken guard would have guarded, until it is fixed", async () => {
    const text = `${noRm}[[hook]]\nname = "typo"\nevent = "tool:before"\ntols = "bash"\ntool = "Bash"\nmodule = "./x.mjs"\n`;
    const { hub, path, write } = await hubWith(text);
    const reason = `The hook "typo" is broken (${path}:5)`;
    expect(await hub.parts.bus.decide("tool:before", call("ls"))).toMatchObject({
      verdict: "deny",
      reason: expect.stringContaining(reason),
    });
    expect(await hub.parts.bus.decide("tool:before", { tool: { name: "Edit", input: {} } })).toMatchObject({ verdict: "pass" });
    write(noRm);
    await expect.poll(async () => (await hub.parts.bus.decide("tool:before", call("ls"))).verdict).toBe("pass");
  });

  it("are at most 2,000 in one file: more than that leaves the last good version in force, and a start denies what the others may guard", async () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => noRm.replace("no-rm", `r${n}`)).join("");
    const { hub, path, state, problems, write } = await hubWith(noPush);
    write(many(2_001));
    await expect
      .poll(() => problems.join("\n"), { timeout: 60_000 })
      .toContain("The file has 2001 [[rule]] entries, and 2000 is the limit.");
    expect(problems.at(-1)).toContain("the rules and hooks stay as they were");
    expect(ruleNames(hub)).toEqual(["no-push"]);
    write(many(2_000));
    await expect.poll(() => ruleNames(hub).length).toBe(2_000);
    await hub.close();
    write(many(2_001));
    const next = await startHub({ state, port: 0, config: path, onProblem: () => {} });
    onTestFinished(() => next.close());
    expect(ruleNames(next)).toHaveLength(2_001);
    expect((await next.parts.bus.decide("tool:before", call("ls"))).reason).toContain('The rule "rule 2001 to 2001" is broken');
  });

  it("may come after a rule that is registered already", async () => {
    const { hub, write } = await hubWith("");
    const after = (name: string, of: string) => `${noRm.replace("no-rm", name)}after = "${of}"\n`;
    write(`${noPush}${after("second", "no-push")}`);
    await expect.poll(() => ruleNames(hub)).toEqual(["no-push", "second"]);
    write(`${noPush}${after("second", "no-push")}${after("third", "second")}`);
    await expect.poll(() => ruleNames(hub)).toEqual(["no-push", "second", "third"]);
  });

  it("count on when others come behind them", async () => {
    const { hub, write } = await hubWith(noPush);
    await hub.parts.bus.decide("tool:before", call("git push"));
    write(`# a comment\n\n${noPush}${noRm}`);
    await expect.poll(() => ruleNames(hub)).toEqual(["no-push", "no-rm"]);
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
    await expect.poll(() => seen).toEqual([["notification:sent", expect.objectContaining(notice)]]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(seen).toHaveLength(1);
  });
});

describe("hooks in the hub", () => {
  const soon = { timeout: 60_000 };
  const reasonOf = async ({ parts }: Hub) => (await parts.bus.decide("tool:before", call())).reason;
  const hook = (name: string, reason: string) => ({
    [`hooks/${name}/HOOK.yaml`]: hookYaml(name),
    [`hooks/${name}/handler.mjs`]: denying(reason),
  });

  it("come, change and go with their files, and attached processes are told", async () => {
    const { hub, path, problems } = await hubWith("");
    expect(hub.parts.gates.list()).toEqual([]);
    const home = putFiles(dirname(path), hook("g", "one"));
    await expect.poll(() => reasonOf(hub), soon).toBe("one");
    expect(hub.parts.gates.list()).toMatchObject([{ event: "tool:before", onFailure: "closed" }]);
    putFiles(home, hook("g", "two"));
    await expect.poll(() => reasonOf(hub), soon).toBe("two");
    putFiles(home, { "hooks/g/HOOK.yaml": hookYaml("g", "enabled: false\n") });
    await expect.poll(() => reasonOf(hub), soon).toBe(undefined);
    putFiles(home, hook("g", "three"));
    await expect.poll(() => reasonOf(hub), soon).toBe("three");
    rmSync(join(home, "hooks/g"), { recursive: true });
    await expect.poll(() => hub.parts.gates.list(), soon).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("end in the last of a thousand versions, after few of them", async () => {
    const { hub, path } = await hubWith('[[hook]]\nname = "m"\nmodule = "./m.mjs"\nevent = "tool:before"\n');
    const loads = join(dirname(path), "loads");
    const version = (n: number) =>
      `import { appendFileSync } from "node:fs";\nappendFileSync(${JSON.stringify(loads)}, "x");\n${denying(`version ${n}`)}`;
    const module = join(dirname(path), "m.mjs");
    writeFileSync(module, version(0));
    await expect.poll(() => reasonOf(hub)).toBe("version 0");
    for (let n = 1; n <= 1_000; n++) {
      writeFileSync(module, version(n));
      if (n % 10 === 0) await sleep(5);
    }
    await expect.poll(() => reasonOf(hub), soon).toBe("version 1000");
    expect(readFileSync(loads, "utf8").length).toBeLessThan(50);
  });

  it("run after the rules: those of the file, then the folders, whatever changes", async () => {
    const entry = '[[hook]]\nname = "in-file"\ncommand = "true"\nevent = "tool:before"\n';
    const { hub, path, write } = await hubWith(noPush + entry);
    putFiles(dirname(path), hook("folder", "f"));
    await expect.poll(() => ruleNames(hub), soon).toEqual(["no-push", "in-file", "folder"]);
    write(noRm + noPush + entry);
    await expect.poll(() => ruleNames(hub), soon).toEqual(["no-rm", "no-push", "in-file", "folder"]);
    write(noPush + entry.replace("in-file", "other"));
    await expect.poll(() => ruleNames(hub), soon).toEqual(["no-push", "other", "folder"]);
  });

  it("stay as they are while the folder of hooks cannot be read", async () => {
    const { hub, path, problems } = await hubWith("");
    const home = putFiles(dirname(path), hook("g", "here"));
    await expect.poll(() => reasonOf(hub), soon).toBe("here");
    rmSync(join(home, "hooks"), { recursive: true });
    symlinkSync("hooks", join(home, "hooks"));
    await expect.poll(() => problems.join(), soon).toContain("cannot be read");
    expect(await reasonOf(hub)).toBe("here");
  });

  it("leave no process behind when the hub ends", async () => {
    const { hub, path } = await hubWith("");
    const home = dirname(path);
    putFiles(home, { "hooks/p/extension.json": extensionJson("p"), "hooks/p/main.mjs": denyingProgram("p") });
    const tool = "tool: Python\n";
    putFiles(home, {
      "hooks/a/HOOK.yaml": hookYaml("a", tool),
      "hooks/a/handler.py": 'import os\ndef handle(event, context):\n    return {"decision": "deny", "reason": str(os.getpid())}\n',
    });
    await expect.poll(() => ruleNames(hub), soon).toEqual(["a", "p"]);
    const python = await hub.parts.bus.decide("tool:before", { tool: { name: "Python", callId: "1", input: {} } });
    const pids = [pidIn(await reasonOf(hub)), pidIn(python.reason)];
    expect(pids.every(isRunning)).toBe(true);
    await hub.close();
    expect(pids.some(isRunning)).toBe(false);
  });
});
