import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createBus, type HookEvent } from "@hookline/core";
import { readAnswer } from "@hookline/core/internal/wire";
import { startHub } from "hookline/hub";
import { describe, expect, it, onTestFinished } from "vitest";
import { call, extensionJson, hookYaml, putFiles } from "../../../../test/support/hook-files.ts";
import { testFolder } from "../../../../test/support/test-folder.ts";
import { type DialectName, dialectNames } from "../config/config.js";
import { findDialect, readOutput } from "./command/dialects/find-dialect.js";
import { readCommandAnswer } from "./folder/command-answer.js";
import type { SourceAnswer } from "./handler-source.js";

const asked = call("rm -rf /");
const MODES = ["open", "closed"] as const;
type Answering = (event: HookEvent, answer: unknown) => unknown;

/** What a call comes to: `deny`, or the verdict and the command that would run. */
async function outcome(read: Answering, answer: unknown, onFailure: "open" | "closed"): Promise<string> {
  const bus = createBus({ onAsk: "return", onError: () => {} });
  bus.on("tool:before", ((event: HookEvent) => read(event, answer)) as never, { name: "hook", onFailure });
  const { verdict, payload } = await bus.decide("tool:before", asked);
  return verdict === "deny" ? "deny" : `${verdict} ${JSON.stringify(payload.tool.input)}`;
}

const speaking =
  (dialect: DialectName): Answering =>
  (event, answer) =>
    readOutput(findDialect(dialect), event, { exitCode: 0, stdout: JSON.stringify(answer), stderr: "" });

/** Everything that can answer: the dialects of commands and URLs, and what processes, folders and modules return. */
const readers: { readonly [reader: string]: Answering } = {
  ...Object.fromEntries(dialectNames.map((name) => [name, speaking(name)])),
  process: (_, answer) => readAnswer(answer),
  folder: (event, answer) => readCommandAnswer(answer as SourceAnswer, event),
  module: (_, answer) => answer,
};

const nested = (fields: object) => ({ hookSpecificOutput: { hookEventName: "PreToolUse", ...fields } });
const INPUT = { command: "ls" };

/** How each says it: these are applied, with the verdict beside them. A dialect that is not here does not compile. */
const own: { readonly [reader in DialectName | "process" | "folder" | "module"]: { readonly [said: string]: readonly unknown[] } } = {
  own: {
    pass: [{ input: INPUT }, { payload: call("ls") }, { decision: "pass", input: INPUT }],
    allow: [
      { decision: "allow", input: INPUT },
      { decision: "allow", payload: call("ls") },
    ],
    ask: [{ decision: "ask", input: INPUT }],
  },
  "claude-code": {
    pass: [nested({ updatedInput: INPUT })],
    allow: [nested({ permissionDecision: "allow", updatedInput: INPUT }), { decision: "approve", ...nested({ updatedInput: INPUT }) }],
    ask: [nested({ permissionDecision: "ask", updatedInput: INPUT }), nested({ permissionDecision: "defer", updatedInput: INPUT })],
  },
  hermes: {
    pass: [
      { action: "modify", args: INPUT },
      { decision: "modify", tool_input: INPUT },
    ],
  },
  codewhale: {
    pass: [{ updatedInput: INPUT }],
    allow: [{ decision: "allow", updatedInput: INPUT, additionalContext: "mind" }],
    ask: [{ decision: "ask", updatedInput: INPUT }],
  },
  harn: {
    pass: [{ args: INPUT }, { modify: call("ls") }, { effects: [{ args: INPUT }] }],
    allow: [{ decision: "allow", args: INPUT }],
    ask: [{ decision: "ask", then: { args: INPUT } }],
  },
  process: {
    pass: [{ args: INPUT }, { kind: "modify", value: call("ls") }],
    allow: [{ decision: "allow", args: INPUT }, [{ kind: "allow" }, { args: INPUT }]],
  },
  folder: { pass: [{ args: INPUT }], allow: [{ decision: "allow", updatedInput: INPUT }] },
  module: {
    pass: [{ args: INPUT }, { action: "modify", input: INPUT }],
    allow: [{ decision: "allow", modify: call("ls") }, nested({ permissionDecision: "allow", updatedInput: INPUT })],
  },
};

/** Rewrites in every dialect. One that is not in the reader's own dialect is not applied, so it must deny. */
const words = [
  ...["updatedInput", "updated_input", "modifiedArgs", "modified_args", "modifiedInput", "modifiedPrompt", "tool_input", "toolInput"],
  ...["tool_args", "toolArgs", "args", "arguments", "input", "new_input", "newArgs", "payload", "modify", "rewrite", "replace"],
  ...["updatedToolOutput", "updatedInputs", "updateInput"],
];
/** Those that are a new value for a transform, in the readers that have one. */
const values: { readonly [reader: string]: readonly string[] } = {
  own: ["value"],
  harn: ["result"],
  process: ["result"],
  module: ["result"],
};
const yes: { readonly [reader: string]: object } = { hermes: { action: "allow" }, "claude-code": { decision: "approve" } };

const answersIn = (reader: string): readonly unknown[] => {
  const allowing = yes[reader] ?? { decision: "allow" };
  return [...words, ...(values[reader] ?? [])].flatMap((word) =>
    [INPUT, call("ls"), "ls", ["ls"], null, 7].flatMap((value) => [
      { [word]: value },
      { ...allowing, [word]: value },
      { ...allowing, ...nested({ permissionDecision: "allow", [word]: value }) },
      { kind: "allow", [word]: value },
      [{ kind: "allow", [word]: value }],
      { reminder: { body: "mind" }, then: { ...allowing, [word]: value } },
      { effects: [{ ...allowing, [word]: value }] },
    ]),
  );
};

describe.each(Object.keys(readers))("a rewrite in the answer of %s", (reader) => {
  const read = readers[reader] as Answering;

  it.each(MODES)("is applied where it is said in its own words (%s)", async (mode) => {
    for (const [verdict, answers] of Object.entries(own[reader as keyof typeof own]))
      for (const answer of answers) expect(await outcome(read, answer, mode), JSON.stringify(answer)).toBe(`${verdict} {"command":"ls"}`);
  });

  it.each(MODES)("is applied or denies, however it is said and whatever it holds (%s)", async (mode) => {
    const ignored: string[] = [];
    for (const answer of answersIn(reader)) {
      const came = await outcome(read, answer, mode);
      if (came.includes("rm -rf")) ignored.push(`${JSON.stringify(answer)}: ${came}`);
    }
    expect(ignored).toEqual([]);
  });

  it("still denies", async () => {
    const no = reader === "claude-code" ? { decision: "block" } : reader === "hermes" ? { action: "block" } : { decision: "deny" };
    for (const word of words) expect(await outcome(read, { ...no, [word]: INPUT }, "open"), word).toBe("deny");
  });
});

describe("the dialect codewhale", () => {
  it("tells the model what stands beside a verdict", async () => {
    const bus = createBus({ onAsk: "return", onError: () => {} });
    const answer = { decision: "allow", updatedInput: INPUT, additionalContext: "mind" };
    bus.on("tool:before", ((event: HookEvent) => speaking("codewhale")(event, answer)) as never, { name: "hook" });
    expect(await bus.decide("tool:before", asked)).toMatchObject({ verdict: "allow", modified: true, injections: ["mind"] });
  });
});

describe("the dialect hermes", () => {
  it("changes the arguments that are named, and keeps the others", async () => {
    const bus = createBus({ onAsk: "return", onError: () => {} });
    const answer = { action: "modify", args: INPUT };
    bus.on("tool:before", ((event: HookEvent) => speaking("hermes")(event, answer)) as never, { name: "hook" });
    const payload = { tool: { name: "terminal", callId: "1", input: { command: "rm -rf /", workdir: "/tmp" } } };
    expect((await bus.decide("tool:before", payload)).payload.tool.input).toEqual({ command: "ls", workdir: "/tmp" });
  });
});

describe("what a hook folder of Hermes answers to a command", () => {
  it.each([
    [{ decision: "rewrite", command_name: "help", raw_args: "x" }, "pass help x"],
    [{ decision: "rewrite", command_name: "/help" }, "pass help "],
    [{ decision: "rewrite" }, "deny"],
    [{ decision: "rewrite", command_name: 7 }, "deny"],
    [{ decision: "rewrite", command_name: "help", raw_args: ["x"] }, "deny"],
    [{ decision: "allow", command_name: "help" }, "deny"],
    [{ command_name: "help" }, "deny"],
    [{ decision: "allow" }, "pass reset all"],
  ])("%j is applied or denies: %s", async (answer, expected) => {
    const bus = createBus({ onError: () => {} });
    bus.on("command:*", ((event: HookEvent) => readCommandAnswer(answer as never, event)) as never, { name: "hook", onFailure: "open" });
    const payload = { command: "reset", raw_command: "reset", args: "all", raw_args: "all" };
    const decision = await bus.decide("command:reset", payload as never);
    const { command, args } = decision.payload as unknown as typeof payload;
    expect(decision.verdict === "deny" ? "deny" : `${decision.verdict} ${command} ${args}`).toBe(expected);
  });
});

describe("a hub with a hook that allows and rewrites", () => {
  const ANSWER = { decision: "allow", updatedInput: INPUT };
  const echo = (answer: object) => `cat >/dev/null; echo '${JSON.stringify(answer)}'`;
  const program = (answer: object) => `
    let held = "";
    const say = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
    process.stdin.setEncoding("utf8").on("data", (chunk) => {
      const lines = (held + chunk).split("\\n");
      held = lines.pop();
      for (const { id, method } of lines.map((line) => JSON.parse(line))) {
        if (method === "initialize") say(id, { protocolVersion: 1 });
        if (method === "hook.handle") say(id, ${JSON.stringify(answer)});
        if (method === "shutdown") { say(id, null); process.exit(0); }
      }
    });`;

  it("runs the rewritten call or none, for every kind of hook, though each is open", async () => {
    const server = createServer((incoming, outgoing) => {
      incoming.resume();
      outgoing.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(ANSWER));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const home = testFolder();
    const toml = (name: string, lines: string) =>
      `[[hook]]\nname = "${name}"\ntool = "${name}"\nevent = "tool:before"\nonFailure = "open"\ntimeoutMs = 30000\n${lines}\n\n`;
    const commands = dialectNames.map((name) => toml(name, `command = ${JSON.stringify(echo(ANSWER))}\nshell = true\ndialect = "${name}"`));
    const urls = dialectNames.map((name) => toml(`url-${name}`, `url = "${url}"\ndialect = "${name}"`));
    putFiles(home, {
      "config/hookline.toml": [...commands, ...urls, toml("module", 'module = "./module.mjs"')].join(""),
      "config/module.mjs": `export const handle = () => (${JSON.stringify(ANSWER)});`,
      "config/hooks/js/HOOK.yaml": hookYaml("js", "tool: js\nonFailure: open\n"),
      "config/hooks/js/handler.mjs": `export const handle = () => (${JSON.stringify(ANSWER)});`,
      "config/hooks/py/HOOK.yaml": hookYaml("py", "tool: py\nonFailure: open\ntimeoutMs: 30000\n"),
      "config/hooks/py/handler.py": `def handle(event, context):\n    return ${JSON.stringify(ANSWER)}\n`,
      "config/hooks/sh/HOOK.yaml": hookYaml("sh", "tool: sh\nonFailure: open\n"),
      "config/hooks/sh/handler.sh": echo(ANSWER),
      "config/hooks/process/extension.json": extensionJson("process", {
        hooks: [{ event: "tool:before", tool: "process", onFailure: "open", timeoutMs: 30_000 }],
      }),
      "config/hooks/process/main.mjs": program(ANSWER),
    });
    for (const name of ["state", "run"]) mkdirSync(join(home, name), { mode: 0o700 });
    const hub = await startHub({
      state: join(home, "state"),
      runtime: join(home, "run"),
      config: join(home, "config/hookline.toml"),
      port: 0,
      onProblem: () => {},
    });
    onTestFinished(() => hub.close());
    const names = [...dialectNames, ...dialectNames.map((name) => `url-${name}`), "module", "js", "py", "sh", "process"];
    const came = await Promise.all(
      names.map(async (name) => {
        const payload = { tool: { name, callId: "1", input: { command: "rm -rf /" } } };
        const response = await fetch(`${hub.file.url}/api/decide`, {
          method: "POST",
          headers: { authorization: `Bearer ${hub.parts.tokens.operator}`, "content-type": "application/json" },
          body: JSON.stringify({ event: "tool:before", payload, timeoutMs: 60_000 }),
        });
        const {
          verdict,
          payload: runs,
          trail,
        } = (await response.json()) as {
          readonly verdict: string;
          readonly payload: typeof payload;
          readonly trail: readonly { readonly actor: { readonly name: string }; readonly action: string }[];
        };
        expect(
          trail.some(({ actor, action }) => actor.name === name && action !== "no-match"),
          name,
        ).toBe(true);
        return [name, verdict === "deny" ? "deny" : `${verdict} ${runs.tool.input.command}`];
      }),
    );
    // These know the word; to the others it is another dialect's.
    const knowing = ["codewhale", "url-codewhale", "module", "js", "py", "process"];
    expect(came).toEqual(names.map((name) => [name, knowing.includes(name) ? "allow ls" : "deny"]));
  });
});
