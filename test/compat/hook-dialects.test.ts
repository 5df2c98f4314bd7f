import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startConfigHub } from "../support/config-hub.ts";
import { call, extensionJson } from "../support/hook-files.ts";

async function hubWith(toml: string, files: { readonly [path: string]: string } = {}) {
  const { hub, config, told } = await startConfigHub(toml, files);
  const log = () => (existsSync(join(config, "log")) ? readFileSync(join(config, "log"), "utf8").trim().split("\n") : []);
  return { bus: hub.parts.bus, told, log };
}

describe("a command in codewhale's dialect", () => {
  const hook = (event: string) =>
    `[[hook]]\nname = "${event.replace(":", "-")}"\nevent = "${event}"\ndialect = "codewhale"\nshell = true\ncommand = 'echo "$HOOKLINE_EVENT \${DEEPSEEK_TOOL_CALL_ID-unset} \${DEEPSEEK_TOOL_EXIT_CODE-unset}" >> log'\n`;

  it("is given the call's id before and after, and an exit code where the tool has one", async () => {
    const { bus, log } = await hubWith(hook("tool:before") + hook("tool:after"));
    const { tool } = call("make");
    await bus.decide("tool:before", { tool: { ...tool, callId: "call-7" } });
    await bus.emit("tool:after", { tool: { ...tool, callId: "call-7", exitCode: 2 }, status: "error" });
    await bus.emit("tool:after", { tool: { ...tool, callId: "call-8" }, status: "error" });
    await bus.emit("tool:after", { tool: { name: "read", input: {}, exitCode: 0 }, status: "ok" });
    expect(log()).toEqual(["tool:before call-7 unset", "tool:after call-7 2", "tool:after call-8 unset", "tool:after unset 0"]);
  });
});

describe("a command in harn's dialect", () => {
  it("reminds in harn's spelling, and what it says then decides", async () => {
    const reminder = { body: "Run the tests first.", ttl_turns: 3, dedupe_key: "tests", preserve_on_compact: true, role_hint: "developer" };
    const answers = { ls: { reminder }, rm: { reminder, then: { deny: "not that" } } };
    const script = `const answers = ${JSON.stringify(answers)};
      let text = "";
      for await (const chunk of process.stdin) text += chunk;
      console.log(JSON.stringify(answers[JSON.parse(text).tool.args.command]));\n`;
    const toml = `[[hook]]\nname = "h"\nevent = "tool:before"\ndialect = "harn"\ncommand = ${JSON.stringify(process.execPath)}\nargs = ["answer.mjs"]\n`;
    const { bus, told } = await hubWith(toml, { "answer.mjs": script });
    const decision = await bus.decide("tool:before", { session: { id: "s" }, ...call("ls") });
    expect(decision.verdict).toBe("pass");
    expect(decision.reminders.map(({ spec }) => spec)).toEqual([
      { body: "Run the tests first.", ttlTurns: 3, dedupeKey: "tests", preserveOnCompact: true, roleHint: "developer" },
    ]);
    expect(await bus.decide("tool:before", { session: { id: "s" }, ...call("rm") })).toMatchObject({ verdict: "deny", reason: "not that" });
    expect(told).toEqual([]);
  });
});

describe("on_session_end, a name with two meanings", () => {
  const sdk = readFileSync(new URL("../../packages/hookline/python/hookline_extension.py", import.meta.url), "utf8");
  const logging = `from hookline_extension import run_extension
def write(event):
    with open("../../log", "a") as log:
        log.write(event["name"] + "\\n")
run_extension("p", {"*": write})
`;

  it("is the end of the session in the manifest of a process, as in synaps", async () => {
    const more = { command: "python3", args: ["main.py"], permissions: ["session.lifecycle"], hooks: [{ event: "on_session_end" }] };
    const program = { "hooks/p/main.py": logging, "hooks/p/hookline_extension.py": sdk };
    const { bus, told, log } = await hubWith("", { "hooks/p/extension.json": extensionJson("p", more), ...program });
    await bus.emit("turn:end", {});
    await bus.emit("session:end", { session: { id: "s" } });
    expect(log()).toEqual(["session:end"]);
    expect(told).toEqual([expect.stringMatching(/p\/extension\.json:.*"on_session_end" is session:end here: in synaps/)]);
  });

  it("is the end of a turn in hookline.toml, as in Hermes", async () => {
    const hook = `[[hook]]\nname = "c"\nevent = "on_session_end"\ndialect = "hermes"\nshell = true\ncommand = 'echo "$HOOKLINE_EVENT" >> log'\n`;
    const { bus, told, log } = await hubWith(hook);
    await bus.emit("session:end", { session: { id: "s" } });
    await bus.emit("turn:end", {});
    expect(log()).toEqual(["turn:end"]);
    expect(told).toEqual([
      expect.stringMatching(/hookline\.toml:1: "on_session_end" is turn:end here: in Hermes it fires after every turn/),
    ]);
  });
});
