import { readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Bus, createBus } from "@hookline/core";
import { createReminderBook } from "@hookline/core/remind";
import { describe, expect, it, onTestFinished } from "vitest";
import { testFolder } from "../../../../test/support/test-folder.ts";
import { loadFolderHook } from "./folder/folder-hook.js";
import type { HandlerSource } from "./handler-source.js";
import { readExtensionManifest } from "./process/manifest.js";
import { programOf } from "./process/manifest-program.js";
import { createProcessExtension } from "./process/process-extension.js";
import { registerSource } from "./register-source.js";

const examples = fileURLToPath(new URL("../../../../examples/extensions/", import.meta.url));
// The manifests say `node`, and mean one that takes TypeScript: the one the tests run on.
process.env.PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;

async function load(name: string, settings = {}): Promise<HandlerSource> {
  const { manifest, problems } = await readExtensionManifest(join(examples, name));
  expect(problems).toEqual([]);
  if (manifest === undefined) throw new Error("no manifest");
  const extension = createProcessExtension({ program: programOf(manifest, settings) });
  onTestFinished(() => extension.close());
  return extension;
}

function attach(bus: Bus, source: HandlerSource): Bus {
  const errors: unknown[] = [];
  registerSource(bus, source, { onError: (error) => void errors.push(error) });
  expect(errors).toEqual([]);
  return bus;
}

const call = (command: string) => ({ session: { id: "s" }, tool: { name: "bash", input: { command } } });

describe("examples/extensions", () => {
  it("guard: asks before a force push, and refuses one to a protected branch", async () => {
    const bus = attach(createBus({ source: "test", onAsk: "return" }), await load("guard", { protected: ["main", "release"] }));
    // On a busy machine, a process takes longer to start than the manifest's limit for an answer.
    await expect.poll(() => bus.decide("tool:before", call("git push"))).toMatchObject({ verdict: "pass" });
    expect(await bus.decide("tool:before", call("git push -f origin mine"))).toMatchObject({ verdict: "ask" });
    const reason = "Force pushes to release are not allowed.";
    expect(await bus.decide("tool:before", call("git push --force origin release"))).toMatchObject({ verdict: "deny", reason });
  });

  it("injector: tells the rules, and reminds of the tests", async () => {
    const reminders = createReminderBook();
    const bus = attach(createBus({ source: "test", reminders }), await load("injector"));
    const { injections } = await bus.decide("session:start", { session: { id: "s" } });
    expect(injections).toEqual(["Answer in English. Keep commits small."]);
    await bus.emit("tool:after", { session: { id: "s" }, tool: { name: "Edit", input: {} }, status: "ok" });
    expect(reminders.list("s")).toMatchObject([{ spec: { body: "Run the tests before you finish." } }]);
  });

  it("observer: writes a line for every call", async () => {
    const file = join(testFolder(), "log");
    process.env.TOOL_LOG = file;
    const { open, problems } = await loadFolderHook(join(examples, "observer"));
    expect(problems).toEqual([]);
    if (open === undefined) throw new Error("no source");
    const bus = attach(createBus({ source: "test" }), open());
    await bus.emit("tool:after", { session: { id: "s" }, tool: { name: "bash", input: {} }, status: "ok" });
    expect(readFileSync(file, "utf8")).toMatch(/Z tool:after s bash ok\n$/);
  });
});
