import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createBus } from "@hookline/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { doing, guardedBy, isRunning } from "../../../../../test/support/play-extension.ts";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import { formatProblem } from "../../config/problem.js";
import type { HandlerSource } from "../handler-source.js";
import type { ProcessExtension } from "../process/process-extension.js";
import { loadFolderHook } from "./folder-hook.js";
import { parseFolderManifest } from "./hook-yaml.js";

async function folderHook(files: { readonly [name: string]: string }) {
  const folder = join(testFolder(), "my-hook");
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const loaded = await loadFolderHook(folder, { tuning: { shutdownTimeoutMs: 500, restartBaseMs: 10 } });
  const source = loaded.open?.();
  onTestFinished(() => source?.close());
  return { folder, ...loaded, source };
}

function isProcess(source: HandlerSource | undefined): source is ProcessExtension {
  return source !== undefined && "pid" in source;
}

const yaml = "name: my-hook\ndescription: says no\nevents:\n  - tool:before\n";
/** A key of ours makes it a folder of ours. */
const ours = `${yaml}onFailure: closed\n`;

async function decideWith(files: { readonly [name: string]: string }, what = "ls") {
  const { source } = await folderHook(files);
  if (source === undefined) throw new Error("no source");
  return guardedBy(source).decide("tool:before", doing(what));
}

describe("HOOK.yaml", () => {
  const problemsOf = (text: string) => parseFolderManifest(text, "/x/my-hook/HOOK.yaml").problems.map(formatProblem);

  it("is read with what it says for each of its events", () => {
    const text = `${yaml}  - session:*\nmatch: tool.name == 'bash'\ntimeout: 2s\nonFailure: open\npermissions: [tools.intercept]\npriority: 3\n`;
    const common = { match: "tool.name == 'bash'", timeoutMs: 2_000, onFailure: "open", priority: 3 };
    expect(parseFolderManifest(text, "/x/my-hook/HOOK.yaml")).toEqual({
      problems: [],
      remarks: [],
      broken: [],
      manifest: {
        file: "/x/my-hook/HOOK.yaml",
        folder: "/x/my-hook",
        name: "my-hook",
        description: "says no",
        permissions: ["tools.intercept"],
        enabled: true,
        hooks: [
          { event: "tool:before", ...common },
          { event: "session:*", ...common },
        ],
      },
    });
  });

  it("drops only an invalid event and an unknown key", () => {
    const { manifest, problems } = parseFolderManifest(`${yaml}  - tool:befor\nauthor: me\n`, "HOOK.yaml");
    expect(manifest?.hooks).toEqual([{ event: "tool:before", onFailure: "open", suspend: false }]);
    expect(problems.map(({ line, key }) => `${line} ${key}`)).toEqual(["6 author", "5 events[1]"]);
  });

  it.each([
    ["", "A key without a name is unknown here and ignored."],
    ['"hooks"', String.raw`"\"hooks\"" is unknown here and ignored.`],
    ["x".repeat(100), `"${"x".repeat(40)}…" is unknown here and ignored.`],
  ])("names the unknown key %j so that it can be read", (key, message) => {
    const { problems } = parseFolderManifest(JSON.stringify({ events: ["tool:before"], [key]: 1 }), "HOOK.yaml");
    expect(problems.map((problem) => problem.message)).toEqual([message]);
  });

  it.each([
    ["events: [tool:before]", undefined, "hermes"],
    ["name: a\ndescription: b\nevents: [tool:before]\nenabled: true\nauthor: me", undefined, "hermes"],
    ["events: [tool:before]\ndialect: hermes\nonFailure: closed", undefined, "hermes"],
    ["events: [tool:before]\nonFailure: open", undefined, undefined],
    ["events: [tool:before]\npermissions: [tools.intercept]", undefined, undefined],
    ["events: [tool:before]\npriority: 1", undefined, undefined],
    ["events: [tool:before]\ndialect: own", undefined, undefined],
    // Meant as a key of ours: it must not open what it guards.
    ["events: [tool:before]\non_failure: closed", undefined, undefined],
    ["events: [tool:before]\nmatcher: Bash", undefined, undefined],
    // Hermes has no shell handlers.
    ["events: [tool:before]", "handler.sh", undefined],
    ["events: [tool:before]\ndialect: hermes", "handler.sh", "hermes"],
  ])("%j with the handler %s is in the dialect %s", (text, handler, dialect) => {
    expect(parseFolderManifest(text, "/x/my-hook/HOOK.yaml", handler).manifest?.dialect).toBe(dialect);
  });

  it("in Hermes' dialect takes any name, Python's words for false, and guards nothing where it is wrong", () => {
    const read = (text: string) => parseFolderManifest(text, "/x/my-hook/HOOK.yaml");
    expect(read("name: Long task alert\ndescription: 5\nevents: [agent:step]").manifest).toMatchObject({
      name: "Long-task-alert",
      description: "5",
    });
    expect(read("name: 7\nenabled: no\nevents: [agent:step]").manifest).toMatchObject({ name: "7", enabled: false });
    expect(read("events: [tool:befor]")).toMatchObject({ manifest: undefined, broken: [], problems: [{ key: "events[0]" }] });
    expect(read("events: [tool:befor]\nonFailure: closed")).toMatchObject({ broken: [{ events: ["tool:before"] }] });
    expect(read("events: [tool:befor]\ndialect: hermes\nonFailure: closd")).toMatchObject({ broken: [{ events: ["tool:before"] }] });
    expect(read("events: [session:*]").manifest?.hooks.map(({ event }) => event)).toEqual(["session:*", "session:compress"]);
  });

  it("says that it fails open where it could have been meant as a guard", () => {
    const remarksOf = (text: string) => parseFolderManifest(text, "/x/my-hook/HOOK.yaml").remarks.map(formatProblem);
    expect(remarksOf("events: [tool:before]")).toEqual([
      expect.stringMatching(/HOOK.yaml:1:1: .*Hermes' dialect.*fails open.*onFailure: closed/),
    ]);
    expect(remarksOf("events: [agent:step]")).toEqual([]);
    expect(remarksOf("events: [tool:before]\nonFailure: open")).toEqual([]);
    expect(remarksOf("events: [tool:before]\ndialect: hermes")).toEqual([]);
  });

  it("says which of its two meanings on_session_end has", () => {
    const { manifest, remarks } = parseFolderManifest("events: [agent:step, on_session_end]", "/x/my-hook/HOOK.yaml");
    expect(manifest?.hooks[1]).toMatchObject({ event: "on_session_end" });
    expect(remarks.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^"on_session_end" is turn:end here: in Hermes.*session:end/),
    ]);
  });

  it("is called after its folder when it has no name", () => {
    expect(parseFolderManifest("events: session:end", "/x/my hook/HOOK.yaml").manifest?.name).toBe("my-hook");
  });

  it.each([
    ["", "must be keys"],
    ["events: []", '"events" is missing'],
    ["- a\n- b", "must be keys"],
    ["name: [", "HOOK.yaml:1:"],
    ["name: a\nname: b\nevents: tool:before", "unique"],
    ["events: tool:before\npriority: high", 'HOOK.yaml:2:1: priority: "priority" must be a number'],
    [
      "events: [tool:before, session:start]\nmatch: tool.inputs.command =~ rm",
      'HOOK.yaml:2:1: match: "match" is wrong at character 1: "tool.inputs.command" is never there: "tool" has no "inputs". Did you mean "tool.input.command"?',
    ],
    [
      "events: tool:before\nmatch: { where: { tool.inputs.kind: x } }",
      'HOOK.yaml:2:19: match.where."tool.inputs.kind": "tool.inputs.kind" is wrong: "tool.inputs.kind" is never there',
    ],
    [
      "events: tool:before\npermissions: [tools.intercept, tools.observ]",
      `HOOK.yaml:2:32: permissions[1]: "permissions" has 'tools.observ', which is not a permission. Did you mean "tools.observe"?`,
    ],
  ])("that says %j is a problem", (text, message) => {
    expect(problemsOf(text).join("\n")).toContain(message);
  });

  it("that is a YAML bomb is refused", () => {
    const laughs = ["a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol]"];
    for (let i = 1; i < 12; i++) {
      const [before, now] = [String.fromCharCode(96 + i), String.fromCharCode(97 + i)];
      laughs.push(`${now}: &${now} [${Array(9).fill(`*${before}`).join(", ")}]`);
    }
    const bombs = [
      `${laughs.join("\n")}\nevents: *l`,
      "a: &a [*a]\nevents: *a",
      "[".repeat(60_000),
      "- ".repeat(30_000),
      "{a: ".repeat(15_000),
      "? ".repeat(30_000),
    ];
    for (const bomb of bombs) {
      const { manifest, problems } = parseFolderManifest(bomb, "HOOK.yaml");
      expect(manifest).toBeUndefined();
      expect(problems.length).toBeGreaterThan(0);
    }
  });

  it("that is too large is not read", async () => {
    const { problems } = await folderHook({ "HOOK.yaml": `#${"x".repeat(100_000)}\n${yaml}` });
    expect(problems[0]?.message).toContain("larger than 64 KiB");
  });
});

describe("a folder", () => {
  it.each([
    [
      "handler.ts",
      'export function handle(type: string, context: { session_id: string }) { return { block: type + " " + context.session_id }; }',
    ],
    ["handler.js", 'export async function handle(type, context) { return { block: type + " " + context.session_id }; }'],
    ["handler.mjs", 'export const handle = (type, context, event) => ({ block: event.name + " " + context.session_id });'],
    ["handler.py", 'def handle(event_type, context):\n    return {"block": event_type + " " + context["session_id"]}\n'],
    ["handler.py", 'async def handle(event_type, context):\n    return {"block": event_type + " " + context["session_id"]}\n'],
  ])("answers with its %s", async (name, code) => {
    expect(await decideWith({ "HOOK.yaml": ours, [name]: code })).toMatchObject({ verdict: "deny", reason: "tool:before s" });
  });

  it("in Hermes' dialect still blocks by an outcome of our own, which cannot come from Hermes", async () => {
    const handler =
      'import { block } from "@hookline/core";\nexport const handle = (type, { tool }) => tool.input.do === "one" ? block("one") : [block("list")];\n';
    for (const what of ["one", "list"])
      expect(
        await decideWith(
          { "HOOK.yaml": yaml, "handler.mjs": handler.replace("@hookline/core", import.meta.resolve("@hookline/core")) },
          what,
        ),
      ).toMatchObject({ verdict: "deny", reason: what });
  });

  it("runs none of its code before its first event", async () => {
    const mark = join(testFolder(), "ran");
    const code = `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(mark)}, ""); export const handle = () => {};`;
    const { source } = await folderHook({ "HOOK.yaml": ours, "handler.mjs": code });
    expect(source?.health()).toMatchObject({ state: "loaded" });
    expect(existsSync(mark)).toBe(false);
    if (source === undefined) throw new Error("no source");
    await guardedBy(source).decide("tool:before", doing("ls"));
    expect(existsSync(mark)).toBe(true);
  });

  it("without a handler, or switched off, has no source", async () => {
    const empty = await folderHook({ "HOOK.yaml": ours });
    expect(empty.source).toBeUndefined();
    expect(empty.problems[0]?.message).toContain("has no handler");
    expect(await folderHook({ "HOOK.yaml": `${ours}enabled: false\n`, "handler.js": "" })).toMatchObject({
      source: undefined,
      problems: [],
    });
  });

  it.each([
    ["handler.mjs", "export const handle = (", "handler.mjs:1)"],
    ["handler.ts", "\nexport const handle = (: string", "handler.ts:2)"],
    ["handler.mjs", 'import "./other.mjs";', "did not start: The module"],
    ["handler.mjs", "export const handel = () => {};", 'exports no function "handle"; it exports handel'],
    ["handler.py", "def handel(a, b): pass", "has no function handle"],
    ["handler.py", "not valid python", "SyntaxError"],
    ["handler.py", "import no_such_module", "no_such_module"],
    ["handler.py", "def handle(a, b): raise ValueError('boom')", "ValueError: boom"],
    ["handler.py", "import sys\ndef handle(a, b): sys.exit(3)", "SystemExit"],
    ["handler.py", "import os\ndef handle(a, b): os._exit(3)", "exit code 3"],
    ["handler.py", "def handle(a, b): return {1, 2}", "a set, which is not an outcome"],
  ])("whose %s is %j denies, and says why", async (name, code, message) => {
    const decision = await decideWith({ "HOOK.yaml": ours, [name]: code });
    expect(decision.verdict).toBe("deny");
    expect(decision.cause?.message).toContain(message);
  });
});

describe("a Python folder", () => {
  it("keeps one process and its memory; printed text is not an answer", async () => {
    const code = `import subprocess
print("loading")
seen = []
def handle(event_type, context):
    seen.append(context["tool"]["input"]["do"])
    print("seen", len(seen))
    subprocess.run(["echo", "from a child"])
    return {"block": ",".join(seen)}
`;
    const { source } = await folderHook({ "HOOK.yaml": ours, "handler.py": code });
    if (!isProcess(source)) throw new Error("no process");
    const bus = guardedBy(source);
    await bus.decide("tool:before", doing("a"));
    const { pid } = source;
    expect(await bus.decide("tool:before", doing("b"))).toMatchObject({ reason: "a,b" });
    expect(source.pid).toBe(pid);
    expect(source.counts()).toMatchObject({ malformed: 0, answered: 2 });
    await expect.poll(() => source.stderr()).toContain("from a child");
    await source.close();
    expect(isRunning(pid as number)).toBe(false);
  });

  it("runs asynchronous handlers side by side", async () => {
    const code = `import asyncio
async def handle(event_type, context):
    await asyncio.sleep(0.3 if context["tool"]["input"]["do"] == "slow" else 0)
    return {"block": context["tool"]["input"]["do"]}
`;
    const { source } = await folderHook({ "HOOK.yaml": ours, "handler.py": code });
    if (source === undefined) throw new Error("no source");
    const bus = guardedBy(source);
    await bus.decide("tool:before", doing("warm"));
    const order: (string | undefined)[] = [];
    await Promise.all(["slow", "quick"].map(async (what) => void order.push((await bus.decide("tool:before", doing(what))).reason)));
    expect(order).toEqual(["quick", "slow"]);
  });

  it("of ours blocks a tool in other runtimes' words, even when it is open", async () => {
    const handler = 'def handle(event_type, context):\n    return {"action": "block", "message": "no"}\n';
    expect(await decideWith({ "HOOK.yaml": `${yaml}onFailure: open\n`, "handler.py": handler })).toMatchObject({
      verdict: "deny",
      reason: "no",
      cause: undefined,
    });
  });
});

describe("a Hermes hook folder, unchanged", () => {
  const hermes = {
    "HOOK.yaml": "name: long-task-alert\ndescription: Alert when agent is taking many steps\nevents:\n  - agent:step\n  - command:*\n",
    "handler.py": `import os
from datetime import datetime

LOG = os.path.join(os.path.dirname(__file__), "log")

async def handle(event_type: str, context: dict):
    with open(LOG, "a") as log:
        log.write("%s %s\\n" % (event_type, context.get("iteration", 0)))
    if event_type.startswith("command:"):
        say = context.get("say", "deny")
        other = {"command_name": "/help", "raw_args": "me"} if say == "rewrite" else {}
        return {"decision": say, "message": "not here", **other}
`,
  };

  it("sees its events by name and answers commands; a wildcard gets the real name", async () => {
    const { folder, source, problems } = await folderHook(hermes);
    expect(problems).toEqual([]);
    if (source === undefined) throw new Error("no source");
    const bus = createBus({ source: "test" });
    for (const hook of source.hooks) bus.on(hook.event as "agent:step", (event) => source.handle(event, hook), { name: hook.event });
    await bus.emit("agent:step", { iteration: 3, tool_names: ["web_search"] });
    await bus.emit("agent:step", { iteration: 4 });
    expect(await bus.collect("command:reset", { args: "" })).toEqual([{ decision: "deny", reason: "not here" }]);
    expect(await bus.decide("command:reset", {})).toMatchObject({ verdict: "deny", reason: "not here" });
    expect(await bus.decide("command:reset", { say: "allow" })).toMatchObject({ verdict: "pass" });
    expect(await bus.decide("command:reset", { say: "Handled" })).toMatchObject({ handled: { output: "not here" } });
    expect(await bus.decide("command:reset", { say: "rewrite" })).toMatchObject({ payload: { command: "help", args: "me" } });
    expect(await bus.decide("command:reset", { say: "maybe" })).toMatchObject({ verdict: "pass", cause: undefined });
    expect(readFileSync(join(folder, "log"), "utf8")).toBe(`agent:step 3\nagent:step 4\n${"command:reset 0\n".repeat(6)}`);
  });
});
