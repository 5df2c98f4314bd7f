import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { doing, guardedBy, playExtension } from "../../../../test/support/play-extension.ts";
import { testFolder } from "../../../../test/support/test-folder.ts";

const built = new URL("../../../core/dist/extension/index.js", import.meta.url).href;
const python = fileURLToPath(new URL("../../python/", import.meta.url));

/** The same extension twice. */
const scripts = {
  "ext.mjs": `
import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { allow, block, inject, runExtension } from ${JSON.stringify(built)};
const aborted = [];
runExtension({
  name: "sdk",
  onStart: ({ config }) => { if (config.bad) throw new Error("bad settings"); },
  hooks: {
    PreToolUse: async ({ payload, config, signal, name }) => {
      const { do: what, text } = payload.tool.input;
      console.log("asked", what);
      process.stdout.write("printed\\n");
      if (what === "echo") return block(text);
      if (what === "config") return block(JSON.stringify([name, config]));
      if (what === "throw") throw new Error("boom");
      if (what === "list") return [inject("be careful"), allow("fine")];
      if (what === "slow") { signal.addEventListener("abort", () => aborted.push(1)); await sleep(1000); return block("slow"); }
      if (what === "aborted") return block(String(aborted.length));
    },
  },
});
`,
  "ext.py": `
import json, subprocess, sys, time
sys.path.append(${JSON.stringify(python)})
from hookline_extension import allow, block, inject, run_extension
print("hello from the top")

def start(given):
    if given["config"].get("bad"):
        raise ValueError("bad settings")

def guard(event):
    given = event["payload"]["tool"]["input"]
    what = given["do"]
    print("asked", what)
    subprocess.run(["echo", "printed"])
    if what == "echo": return block(given["text"])
    if what == "config": return block(json.dumps([event["name"], event["config"]], separators=(",", ":")))
    if what == "throw": raise ValueError("boom")
    if what == "list": return [inject("be careful"), allow("fine")]
    if what == "slow":
        time.sleep(1)
        return block("slow")
    if what == "aborted": return block("1")

run_extension("sdk", {"tool:before": guard}, on_start=start)
`,
};

const contenders = (["newline", "content-length"] as const).flatMap((framing) =>
  (
    [
      ["node", process.execPath, "ext.mjs"],
      ["python", "python3", "ext.py"],
    ] as const
  ).map(([language, command, script]) => ({
    language,
    framing,
    command,
    script,
  })),
);

function open({ framing, command, script }: (typeof contenders)[number], more: Parameters<typeof playExtension>[0] = {}) {
  const folder = testFolder();
  writeFileSync(join(folder, script), scripts[script]);
  return playExtension({
    folder,
    command,
    args: script.endsWith(".py") ? ["-B", script] : [script],
    framing,
    config: () => ({ level: 3 }),
    ...more,
  });
}

describe.each(contenders)("an extension by the SDK for $language, $framing", (contender) => {
  it("answers, whatever it prints", async () => {
    const extension = open(contender);
    const bus = guardedBy(extension);
    const text = 'naïve ✓ 🪝 \u2028 \\ " \n'.repeat(2_000);
    expect(await bus.decide("tool:before", doing("echo", { text }))).toMatchObject({ verdict: "deny", reason: text });
    expect(await bus.decide("tool:before", doing("config"))).toMatchObject({ reason: '["tool:before",{"level":3}]' });
    expect(await bus.decide("tool:before", doing("list"))).toMatchObject({ verdict: "allow", injections: ["be careful"] });
    expect(await bus.decide("tool:before", doing("nothing"))).toMatchObject({ verdict: "pass" });
    expect(extension.counts()).toMatchObject({ malformed: 0, failures: {} });
    expect(extension.stderr()).toContain("asked echo");
    expect(extension.stderr()).toContain("printed");
  });

  it("fails with the words of its handler, and goes on", async () => {
    const bus = guardedBy(open(contender));
    const decision = await bus.decide("tool:before", doing("throw"));
    expect(decision).toMatchObject({ verdict: "deny", cause: { failure: "crash", cause: { code: "HL_HANDLER_FAILED" } } });
    expect(decision.cause?.message).toContain("boom");
    expect(await bus.decide("tool:before", doing("nothing"))).toMatchObject({ verdict: "pass" });
  });

  it("is not delayed by a slow handler, and does not answer a cancelled request", async () => {
    const extension = open(contender, { hooks: [{ event: "tool:before", timeoutMs: 700 }] });
    await extension.start();
    const bus = guardedBy(extension);
    const slow = bus.decide("tool:before", doing("slow"));
    expect(await bus.decide("tool:before", doing("nothing"))).toMatchObject({ verdict: "pass" });
    expect(await slow).toMatchObject({ verdict: "deny", cause: { failure: "timeout" } });
    await expect.poll(async () => (await bus.decide("tool:before", doing("aborted"))).reason).toBe("1");
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(extension.counts()).toMatchObject({ late: 0 });
  });

  it("says why it does not start, and has no answer for events it was not written for", async () => {
    const bad = await guardedBy(open(contender, { config: () => ({ bad: true }) })).decide("tool:before", doing("nothing"));
    expect(bad).toMatchObject({ verdict: "deny", cause: { failure: "spawn_error" } });
    expect(bad.cause?.message).toContain("bad settings");
    const foreign = open(contender, { hooks: [{ event: "prompt:submit" }] });
    const decision = await guardedBy(foreign).decide("prompt:submit", { prompt: "hi" });
    expect(decision.verdict).toBe("deny");
    expect(decision.cause?.message).toContain('has no handler for "prompt:submit"');
  });

  it("ends when its stdin does", async () => {
    const { script, command } = contender;
    const folder = testFolder();
    writeFileSync(join(folder, script), scripts[script]);
    const child = spawn(command, [script], { cwd: folder, stdio: ["pipe", "ignore", "ignore"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child, "spawn");
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([0, null]);
  });
});
