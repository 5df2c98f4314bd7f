import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Bus, createBus, type HookError } from "@hookline/core";
import { afterEach, describe, expect, it } from "vitest";
import { parseConfig } from "../../config/load-config.js";
import { linearRegex } from "../../rules/linear-regex.js";
import { loadHandlers } from "./load-handlers.js";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folderWith(files: { readonly [name: string]: string }): string {
  const folder = mkdtempSync(join(tmpdir(), "hookline-hooks-"));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

async function loaded(folder: string, toml: string) {
  const errors: HookError[] = [];
  const bus = createBus({ source: "hub", onAsk: "return", regex: linearRegex, onError: (error) => void errors.push(error) });
  const { config, problems } = await parseConfig(toml, join(folder, "hookline.toml"));
  expect(problems).toEqual([]);
  const handlers = loadHandlers(bus, config?.hooks ?? [], (error) => void errors.push(error));
  return { bus, errors, handlers };
}

const bash = (command: string) => ({ session: { id: "s" }, tool: { name: "bash", callId: "1", input: { command } } });
const guard =
  'export const handle = (event) => event.payload.tool.input.command.includes("rm") ? { decision: "deny", reason: "no rm" } : undefined;';

function rows(bus: Bus) {
  return bus
    .list()
    .map(({ event, name, owner, onFailure, stage, path, description }) => ({ event, name, owner, onFailure, stage, path, description }));
}

describe("loadHandlers", () => {
  it("puts the hooks on the bus; the module is loaded at the first event", async () => {
    const folder = folderWith({ "guard.mjs": `globalThis.hooklineLoaded = true;\n${guard}` });
    const { bus, errors, handlers } = await loaded(
      folder,
      '[[hook]]\nmodule = "./guard.mjs"\nevent = "PreToolUse"\ntool = "bash"\nmatch = "tool.input.command =~ \'r.\'"\n',
    );
    expect(rows(bus)).toEqual([
      {
        event: "tool:before",
        name: "guard",
        owner: "config",
        onFailure: "closed",
        stage: "guard",
        path: join(folder, "guard.mjs"),
        description: `${join(folder, "hookline.toml")}:1`,
      },
    ]);
    expect(bus.list()[0]?.health?.()).toEqual({ state: "not loaded" });
    expect((globalThis as { hooklineLoaded?: boolean }).hooklineLoaded).toBeUndefined();
    expect(await bus.decide("tool:before", bash("ls"))).toMatchObject({ verdict: "pass" });
    expect(await bus.decide("tool:before", bash("rm -rf"))).toMatchObject({ verdict: "deny", reason: "no rm", by: "guard" });
    expect(bus.list()[0]?.health?.()).toEqual({ state: "loaded" });
    expect(errors).toEqual([]);
    handlers.close();
    expect(bus.count()).toBe(0);
  });

  it("registers for each event of a list and for patterns, closed where something can be blocked", async () => {
    const folder = folderWith({ "a.mjs": "export const run = () => {};" });
    const { bus } = await loaded(
      folder,
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
    expect(await bus.decide("tool:before", bash("ls"))).toMatchObject({ verdict: "pass" });
  });

  it.each([
    ["is not there", {}, "is not there"],
    ["is no JavaScript", { "guard.mjs": "export const handle = (" }, "cannot be loaded"],
    ["throws", { "guard.mjs": 'throw new Error("boom");' }, "boom"],
    ["exports something else", { "guard.mjs": "export const handel = () => {};" }, 'exports no function "handle"; it exports handel'],
  ])("denies while a module %s, says why, and works once it is mended", async (_, files, message) => {
    const folder = folderWith(files as { readonly [name: string]: string });
    const { bus, errors } = await loaded(folder, '[[hook]]\nmodule = "guard.mjs"\nevent = "tool:before"\n');
    const decision = await bus.decide("tool:before", bash("ls"));
    expect(decision).toMatchObject({ verdict: "deny", by: "guard", cause: { code: "HL_HANDLER_FAILED" } });
    const texts = errors.flatMap((error) => [error.message, String((error.cause as Error | undefined)?.message)]);
    expect(texts.join("\n")).toContain(message);
    expect(bus.list()[0]?.health?.()).toEqual({ state: "failed" });
    writeFileSync(join(folder, "guard.mjs"), `// mended\n${guard}`);
    expect(await bus.decide("tool:before", bash("ls"))).toMatchObject({ verdict: "pass" });
  });

  it("goes on past a failing module where the hook says open", async () => {
    const { bus } = await loaded(folderWith({}), '[[hook]]\nmodule = "guard.mjs"\nevent = "tool:before"\nonFailure = "open"\n');
    expect(await bus.decide("tool:before", bash("ls"))).toMatchObject({ verdict: "pass" });
  });
});
