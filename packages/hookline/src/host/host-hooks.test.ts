import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createBus } from "@hookline/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { call, denying, denyingProgram, extensionJson, hookYaml, putFiles } from "../../../../test/support/hook-files.js";
import { pidIn } from "../../../../test/support/hooks-on-bus.js";
import { isRunning } from "../../../../test/support/play-extension.js";
import { projectGuard, projectHome } from "../../../../test/support/project-hub.js";
import { testFolder } from "../../../../test/support/test-folder.js";
import { hostHooks } from "./host-hooks.js";

type Files = { readonly [path: string]: string };

/** An agent with a bus of its own and no hub. */
async function agent(files: Files, toml = "", cwd?: string) {
  const home = projectHome({}, toml);
  putFiles(join(home.home, "config"), files);
  const reported: string[] = [];
  const bus = createBus({ source: "agent", onError: ({ message }) => void reported.push(message) });
  const options = { config: join(home.home, "config/hookline.toml"), state: home.state, cwd: cwd ?? home.project };
  const hosted = await hostHooks(bus, options);
  onTestFinished(() => hosted.close());
  return { home, bus, hosted, reported, options, decide: (command = "ls") => bus.decide("tool:before", call(command)) };
}

describe("hooks in an agent's own bus", () => {
  it.each([
    ["a folder in JavaScript", { "hooks/h/HOOK.yaml": hookYaml("h"), "hooks/h/handler.mjs": denying("no") }, ""],
    [
      "a folder in Python",
      { "hooks/h/HOOK.yaml": hookYaml("h"), "hooks/h/handler.py": 'def handle(event_type, context):\n    return {"block": "no"}\n' },
      "",
    ],
    ["a process", { "hooks/h/extension.json": extensionJson("h"), "hooks/h/main.mjs": denyingProgram("no") }, ""],
    ["a command", {}, `[[hook]]\nname = "h"\nevent = "tool:before"\ncommand = "sh"\nargs = ["-c", "echo no >&2; exit 2"]\n`],
    ["a rule", {}, `[[rule]]\nname = "h"\nevent = "tool:before"\nmatch = "tool.input.command =~ 'l.'"\ndo = "block"\nmessage = "no"\n`],
  ] as const)("from %s decide, until they are taken off", async (_, files, toml) => {
    const { decide, hosted, bus } = await agent(files as Files, toml);
    const decision = await decide();
    expect(decision).toMatchObject({ verdict: "deny", by: "h", reason: expect.stringContaining("no") });
    await hosted.close();
    expect(bus.count()).toBe(0);
    const pid = pidIn(decision.reason);
    if (!Number.isNaN(pid)) expect(isRunning(pid)).toBe(false);
    expect(await decide()).toMatchObject({ verdict: "pass" });
  });

  it("transform values and receive observed events", async () => {
    const heard = join(testFolder(), "heard");
    const events = (list: string) => `name: h\nevents: [${list}]\nonFailure: open\n`;
    const { bus } = await agent({
      "hooks/redact/HOOK.yaml": events("tool:result"),
      "hooks/redact/handler.mjs": "export const handle = (type, { value }) => ({ result: value.replace('secret', '***') });\n",
      "hooks/start/HOOK.yaml": `name: s\nevents: [session:start]\nonFailure: open\n`,
      "hooks/start/handler.mjs": `import { writeFileSync } from "node:fs"; export const handle = (type) => writeFileSync(${JSON.stringify(heard)}, type);\n`,
    });
    expect(await bus.transform("tool:result", "a secret", call())).toMatchObject({ value: "a ***" });
    await bus.emit("session:start", { session: { id: "s" } });
    expect(readFileSync(heard, "utf8")).toBe("session:start");
  });

  it("use a linear regex engine, whatever the bus has", async () => {
    const { decide } = await agent(
      {},
      `[[rule]]\nname = "h"\nevent = "tool:before"\nmatch = "tool.input.command =~ '^(a+)+$'"\ndo = "block"\n`,
    );
    expect(await decide(`${"a".repeat(50_000)}!`)).toMatchObject({ verdict: "pass" });
  });

  it("of a project run after consent, also for events that name no folder", async () => {
    const { home, decide, hosted, reported, bus } = await agent({});
    home.write(projectGuard("guard", denying("not here")));
    await hosted.reload();
    expect(await decide()).toMatchObject({ verdict: "pass" });
    const again = await hostHooks(createBus({ onError: ({ message }) => void reported.push(message) }), {
      config: join(home.home, "config/hookline.toml"),
      state: home.state,
      cwd: home.project,
    });
    await again.close();
    expect(reported.join("\n")).toContain("hookline hooks trust");
    home.consent("guard");
    await hosted.reload();
    expect(await decide()).toMatchObject({ verdict: "deny", reason: "not here" });
    expect(await bus.decide("tool:before", call("ls", { cwd: join(home.home, "other") }))).toMatchObject({ verdict: "pass" });
    expect(hosted.list()).toMatchObject([{ name: "guard", state: "active" }]);
  });

  it("that are broken deny what they guard, and are listed with the fault", async () => {
    const { decide, hosted, reported } = await agent({
      "hooks/h/HOOK.yaml": hookYaml("h", "onFailure: maybe\n"),
      "hooks/h/handler.mjs": "",
    });
    expect(await decide()).toMatchObject({ verdict: "deny" });
    expect(hosted.list()).toMatchObject([{ state: "broken", problems: [expect.stringContaining("onFailure")] }]);
    expect(reported.join("\n")).toContain("onFailure");
  });

  it("are not even read on a bus that is off", async () => {
    const reported: string[] = [];
    const bus = createBus({ enabled: false, onError: ({ message }) => void reported.push(message) });
    const { home } = await agent({ "hooks/h/HOOK.yaml": hookYaml("h"), "hooks/h/handler.mjs": denying("no") });
    const broken = join(home.home, "config/broken.toml");
    putFiles(join(home.home, "config"), { "broken.toml": "[[rule]\n" });
    const hosted = await hostHooks(bus, { config: broken, state: home.state, cwd: home.project });
    await hosted.reload();
    expect([hosted.list(), bus.count(), reported]).toEqual([[], 0, []]);
    await hosted.close();
    expect(await bus.decide("tool:before", call())).toMatchObject({ verdict: "pass" });
  });

  it("do not load from a file that cannot be read", async () => {
    await expect(agent({}, "[[rule]\n")).rejects.toMatchObject({ code: "HL_CONFIG" });
  });
});
