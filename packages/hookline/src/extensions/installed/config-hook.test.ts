import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Bus, createBus, type HookError } from "@hookline/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { call, denying, putFiles } from "../../../../../test/support/hook-files.js";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { parseConfig } from "../../config/load-config.js";
import { linearRegex } from "../../rules/linear-regex.js";
import { registerSource } from "../register-source.js";
import { readConfigHook } from "./config-hook.js";

async function loaded(files: { readonly [name: string]: string }, toml: string) {
  const folder = putFiles(testFolder(), files);
  const errors: HookError[] = [];
  const bus = createBus({ source: "hub", onAsk: "return", regex: linearRegex, onError: (error) => void errors.push(error) });
  const { config, problems } = await parseConfig(toml, join(folder, "hookline.toml"));
  expect(problems).toEqual([]);
  const hooks = await Promise.all((config?.hooks ?? []).map(readConfigHook));
  for (const { open, id, permissions } of hooks) {
    const source = open?.();
    if (source === undefined) continue;
    registerSource(bus, source, { owner: id, permissions, onError: (error) => void errors.push(error) });
    onTestFinished(() => source.close());
  }
  return { folder, bus, errors, hooks };
}
const health = (bus: Bus) => bus.list()[0]?.health?.().state;
const guard =
  'export const handle = ({ payload }) => payload.tool.input.command.includes("rm") ? { decision: "deny", reason: "no rm" } : undefined;';
const guardEntry = '[[hook]]\nmodule = "guard.mjs"\nevent = "tool:before"\n';

describe("a [[hook]] with a module", () => {
  it("is for its events and matches; the module is loaded at the first of them", async () => {
    const { bus, errors, folder } = await loaded(
      { "guard.mjs": `import { writeFileSync } from "node:fs";\nwriteFileSync(new URL("./loaded", import.meta.url), "");\n${guard}` },
      '[[hook]]\nmodule = "./guard.mjs"\nevent = "PreToolUse"\ntool = "Bash"\nmatch = "tool.input.command =~ \'r.\'"\n',
    );
    expect(bus.list()).toMatchObject([
      { event: "tool:before", name: "guard", owner: "guard", onFailure: "closed", stage: "guard", path: join(folder, "guard.mjs") },
    ]);
    const isLoaded = () => existsSync(join(folder, "loaded"));
    expect([health(bus), isLoaded()]).toEqual(["loaded", false]);
    expect(await bus.decide("tool:before", call("ls"))).toMatchObject({ verdict: "pass" });
    expect(isLoaded()).toBe(false);
    expect(await bus.decide("tool:before", call("rm -rf"))).toMatchObject({ verdict: "deny", reason: "no rm", by: "guard" });
    expect([health(bus), isLoaded()]).toEqual(["running", true]);
    expect(errors).toEqual([]);
  });

  it("is registered for each event of a list and for patterns, closed where something can be blocked", async () => {
    const { bus } = await loaded(
      { "a.mjs": "export const run = () => {};" },
      `[[hook]]\nmodule = "a.mjs"\nexport = "run"\nevent = ["session:end", "tool:*", "command:*", "*", "tool:before"]
[[hook]]\nmodule = "a.mjs"\nname = "watch"\nexport = "run"\nevent = "tool:*"\nstage = "observe"
[[hook]]\nmodule = "a.mjs"\nname = "soft"\nexport = "run"\nevent = "tool:before"\nonFailure = "open"\n`,
    );
    expect(bus.list().map(({ event, name, onFailure }) => `${name} ${event} ${onFailure}`)).toEqual([
      "a session:end open",
      "a tool:* closed",
      "a command:* closed",
      "a * closed",
      "a tool:before closed",
      "watch tool:* open",
      "soft tool:before open",
    ]);
    expect(await bus.decide("tool:before", call())).toMatchObject({ verdict: "pass" });
  });

  it.each([
    ["is not JavaScript", { "guard.mjs": "\nexport const handle = (" }, "guard.mjs:2)"],
    ["throws", { "guard.mjs": 'throw new Error("boom");' }, "boom"],
    ["exports something else", { "guard.mjs": "export const handel = () => {};" }, 'exports no function "handle"; it exports handel'],
  ])("denies while the module %s, says why, and works once it is fixed", async (_, files, message) => {
    const { bus, errors, folder, hooks } = await loaded(files, guardEntry);
    expect(hooks.map(({ state, problems }) => [state, problems.length])).toEqual([["active", 0]]);
    expect(await bus.decide("tool:before", call())).toMatchObject({ verdict: "deny", by: "guard", cause: { failure: "spawn_error" } });
    const texts = errors.flatMap((error) => [error.message, String((error.cause as Error | undefined)?.message)]);
    expect(texts.join("\n")).toContain(message);
    expect(health(bus)).toBe("restarting");
    writeFileSync(join(folder, "guard.mjs"), `// mended\n${guard}`);
    expect(await bus.decide("tool:before", call())).toMatchObject({ verdict: "pass" });
    expect(await bus.decide("tool:before", call("rm"))).toMatchObject({ verdict: "deny", reason: "no rm" });
  });

  it("is broken while the module is not there: what it guards stays closed", async () => {
    const { hooks } = await loaded({}, guardEntry);
    expect(hooks).toMatchObject([
      { state: "broken", broken: [{ events: ["tool:before"] }], problems: [expect.stringContaining('guard.mjs" of the hook')] },
    ]);
    expect(hooks[0]?.open).toBeUndefined();
  });

  it("is skipped while the module fails if it is open", async () => {
    const { bus } = await loaded({}, `${guardEntry}onFailure = "open"\n`);
    expect(await bus.decide("tool:before", call())).toMatchObject({ verdict: "pass" });
  });
});

describe("a [[hook]] with a URL from a file", () => {
  it("is rejected while the file is not there, closed, and another one when it is", async () => {
    const toml = '[[hook]]\nname = "ask"\nurl = { file = "SECRET" }\nevent = "tool:before"\n';
    const folder = testFolder();
    const { config } = await parseConfig(toml.replace("SECRET", join(folder, "url")), join(folder, "hookline.toml"));
    const hook = config?.hooks[0];
    if (hook === undefined) throw new Error("no hook");
    const before = await readConfigHook(hook);
    expect(before).toMatchObject({ state: "broken", broken: [{ events: ["tool:before"] }] });
    writeFileSync(join(folder, "url"), "http://127.0.0.1:9/");
    const after = await readConfigHook(hook);
    expect(after).toMatchObject({ state: "active", problems: [], broken: [] });
    expect(after.version).not.toBe(before.version);
  });

  it("has the name of its file, else of its manifest, else of its folder", async () => {
    const files = { "x/HOOK.yaml": "name: house-rules\nevents: tool:before", "x/handler.mjs": denying("x") };
    const unnamed = await loaded(files, '[[hook]]\nextension = "./x"\n');
    expect(unnamed.hooks).toMatchObject([{ name: "house-rules", state: "active" }]);
    expect(await unnamed.bus.decide("tool:before", call())).toMatchObject({ verdict: "deny", by: "house-rules" });
    const named = await loaded(files, '[[hook]]\nname = "mine"\nextension = "./x"\n');
    expect(named.hooks).toMatchObject([{ name: "mine" }]);
    expect(await named.bus.decide("tool:before", call())).toMatchObject({ verdict: "deny", by: "mine" });
    const nameless = await loaded({ ...files, "x/HOOK.yaml": "events: tool:before" }, '[[hook]]\nextension = "./x"\n');
    expect(nameless.hooks).toMatchObject([{ name: "x" }]);
  });

  it("has nothing that runs when its extension is switched off", async () => {
    const { hooks, bus } = await loaded(
      { "x/HOOK.yaml": "events: tool:before", "x/handler.mjs": denying("x") },
      '[[hook]]\nextension = "./x"\nenabled = false\n',
    );
    expect(hooks).toMatchObject([{ state: "disabled", kind: "folder" }]);
    expect(bus.count()).toBe(0);
  });
});
