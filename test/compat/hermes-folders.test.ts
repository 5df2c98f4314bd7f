import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Hub } from "hookline/hub";
import { describe, expect, it } from "vitest";
import { startConfigHub } from "../support/config-hub.ts";
import { call } from "../support/hook-files.ts";
import { until } from "../support/http-hub.ts";
import { decideIn, IN_HOOKS, projectHome } from "../support/project-hub.ts";

type Files = { readonly [path: string]: string };

/** A real hub with hook folders as they stand in a user's `hooks/`. */
async function hubWith(folders: { readonly [name: string]: Files }) {
  const files = Object.entries(folders).flatMap(([folder, inside]) =>
    Object.entries(inside).map(([name, text]) => [`hooks/${folder}/${name}`, text] as const),
  );
  const { hub, told, config } = await startConfigHub("", Object.fromEntries(files));
  return {
    hub,
    told,
    log: (name: string) =>
      readFileSync(join(config, "hooks", name, "log"), "utf8")
        .trim()
        .split("\n"),
  };
}

/** What an agent hears that asks over HTTP. */
async function ask(hub: Hub, event: string, payload: object) {
  const response = await fetch(new URL("/api/decide", hub.file.url), {
    method: "POST",
    headers: { authorization: `Bearer ${hub.file.token}`, "content-type": "application/json" },
    body: JSON.stringify({ event, payload, timeoutMs: 10_000 }),
  });
  return (await response.json()) as { readonly [key: string]: unknown };
}

const yaml = (events: string) => `name: policy\ndescription: A folder from ~/.hermes/hooks\nevents: [${events}]\n`;

/** Each answers what `context["say"]` names, as handlers of Hermes might. */
const python = `import datetime, os
LOG = os.path.join(os.path.dirname(__file__), "log")
class Odd:
    pass
ANSWERS = {
    "logged": {"logged": True},
    "text": "deny",
    "false": False,
    "number": 7,
    "list": [{"decision": "deny"}],
    "set": {1, 2},
    "no-json": {"at": datetime.datetime(2026, 1, 1), "odd": Odd()},
    "block": {"block": "no", "action": "block", "allowed": False},
    "deny": {"decision": "deny", "message": "not here"},
    "deny-odd": {"decision": " DENY ", "message": 5, "extra": Odd()},
    "handled": {"decision": "handled", "message": "done already"},
    "handled-odd": {"decision": "handled", "message": Odd()},
    "rewrite": {"decision": "rewrite", "command_name": "/help", "raw_args": " me "},
    "rewrite-nothing": {"decision": "rewrite", "raw_args": "me"},
    "allow": {"decision": "allow", "command_name": "help"},
    "unknown": {"decision": "maybe"},
    "switch": {"decision": "switch_session", "session_id": "other"},
    "switch-same": {"decision": "switch_session", "session_id": "mine"},
    "switch-nowhere": {"decision": "switch_session"},
}
DEF handle(event_type, context):
    with open(LOG, "a") as log:
        log.write(event_type + " " + context.get("say", "-") + "\\n")
    if context.get("say") == "raise":
        raise RuntimeError("boom")
    return ANSWERS.get(context.get("say"))
`;

const script = `import { appendFileSync } from "node:fs";
const log = new URL("log", import.meta.url);
const answers = {
  logged: { logged: true }, text: "deny", false: false, number: 7, list: [{ decision: "deny" }], set: new Set([1]),
  "no-json": { at: new Date(0), odd: () => {} }, block: { block: "no", action: "block", allowed: false },
  deny: { decision: "deny", message: "not here" }, "deny-odd": { decision: " DENY ", message: 5 },
  handled: { decision: "handled", message: "done already" }, "handled-odd": { decision: "handled", message: {} },
  rewrite: { decision: "rewrite", command_name: "/help", raw_args: " me " }, "rewrite-nothing": { decision: "rewrite", raw_args: "me" },
  allow: { decision: "allow", command_name: "help" }, unknown: { decision: "maybe" },
  switch: { decision: "switch_session", session_id: "other" }, "switch-same": { decision: "switch_session", session_id: "mine" },
  "switch-nowhere": { decision: "switch_session" },
};
export FUNCTION handle(eventType, context) {
  appendFileSync(log, eventType + " " + (context.say ?? "-") + "\\n");
  if (context.say === "raise") throw new Error("boom");
  return answers[context.say];
}
`;

const handlers: readonly (readonly [name: string, files: Files])[] = [
  ["a Python function", { "handler.py": python.replace("DEF", "def") }],
  ["an asynchronous Python function", { "handler.py": python.replace("DEF", "async def") }],
  ["a JavaScript function", { "handler.mjs": script.replace("FUNCTION", "function") }],
  ["an asynchronous JavaScript function", { "handler.mjs": script.replace("FUNCTION", "async function") }],
];

const IGNORED = ["logged", "text", "false", "number", "list", "set", "no-json", "block", "rewrite-nothing", "allow", "unknown", "raise"];

describe.each(handlers)("a Hermes folder with %s, in a hub", (_, files) => {
  it("decides commands by Hermes' words alone; everything else it returns or raises is ignored", async () => {
    const { hub } = await hubWith({ policy: { "HOOK.yaml": yaml('"command:*"'), ...files } });
    const say = (word: string) => ask(hub, "command:reset", { command: "reset", args: "now", say: word });
    for (const word of [...IGNORED, "switch"]) expect([word, await say(word)]).toMatchObject([word, { verdict: "pass", modified: false }]);
    expect(await say("deny")).toMatchObject({ verdict: "deny", reason: "not here" });
    expect(await say("deny-odd")).toMatchObject({ verdict: "deny", reason: "Command `/reset` was blocked by a hook." });
    const { bus } = hub.parts;
    const decide = (word: string) => bus.decide("command:reset", { command: "reset", args: "now", say: word });
    expect((await decide("handled")).handled).toMatchObject({ output: "done already" });
    expect((await decide("handled-odd")).handled).toMatchObject({ output: undefined });
    expect(await decide("rewrite")).toMatchObject({ verdict: "pass", payload: { command: "help", args: "me", raw_args: "me" } });
  });

  it("denies a tool call by a returned deny, and by nothing else", async () => {
    const { hub } = await hubWith({ policy: { "HOOK.yaml": yaml('"tool:before"'), ...files } });
    for (const word of [...IGNORED, "handled", "rewrite", "switch"])
      expect([word, await ask(hub, "tool:before", call("ls", { say: word }))]).toMatchObject([word, { verdict: "pass", modified: false }]);
    expect(await ask(hub, "tool:before", call("ls", { say: "deny" }))).toMatchObject({ verdict: "deny", reason: "not here" });
    expect(await ask(hub, "tool:before", call("ls", { say: "deny-odd" }))).toMatchObject({
      verdict: "deny",
      reason: '"tool:before" was blocked by a hook.',
    });
  });

  it("routes a message to another session, under the name it asked for", async () => {
    const { hub, log } = await hubWith({ policy: { "HOOK.yaml": yaml('"message:pre_route"'), ...files } });
    const route = (word: string) => hub.parts.bus.decide("message:route", { message: "hi", session_id: "mine", say: word });
    expect(await route("switch")).toMatchObject({
      verdict: "pass",
      modified: true,
      payload: { message: "hi", session_id: "other", session: { id: "other" } },
    });
    for (const word of [...IGNORED, "switch-same", "switch-nowhere", "deny"])
      expect([word, await route(word)]).toMatchObject([word, { verdict: "pass", modified: false }]);
    expect(log("policy").every((line) => line.startsWith("message:pre_route "))).toBe(true);
  });

  it("goes on being told of events after it has failed many times, and changes no value by what it returns", async () => {
    const { hub, log } = await hubWith({ policy: { "HOOK.yaml": yaml('"agent:*", "tool:result", "session:*"'), ...files } });
    const { bus } = hub.parts;
    for (let count = 0; count < 8; count++) await bus.emit("agent:step", { say: "raise" } as never);
    await bus.emit("agent:step", { say: "logged" } as never);
    await bus.emit("compact:after", {} as never);
    await bus.emit("session:reset", {} as never);
    expect(await bus.transform("tool:result", "as it was", { ...call(), say: "logged" } as never)).toMatchObject({ value: "as it was" });
    expect(log("policy")).toEqual([
      ...Array(8).fill("agent:step raise"),
      "agent:step logged",
      "session:compress -",
      "session:reset -",
      "tool:result logged",
    ]);
    expect(bus.stats().find(({ event }) => event === "agent:*")).toMatchObject({ calls: 9, failures: 8 });
  });
});

describe("Hermes folders in a hub", () => {
  it("run exact handlers before wildcard ones, and a failure of the first does not keep the second from deciding", async () => {
    const { hub } = await hubWith({
      a: {
        "HOOK.yaml": 'name: a\nevents: ["command:*"]\n',
        "handler.py": 'def handle(e, c):\n    return {"decision": "deny", "message": "wildcard"}\n',
      },
      b: {
        "HOOK.yaml": 'name: b\nevents: ["command:reset"]\n',
        "handler.py": 'def handle(e, c):\n    return {"decision": "deny", "message": "exact"}\n',
      },
      c: { "HOOK.yaml": 'name: c\nevents: ["command:new"]\n', "handler.py": "def handle(e, c):\n    raise ValueError('boom')\n" },
    });
    expect(await ask(hub, "command:reset", {})).toMatchObject({ verdict: "deny", reason: "exact" });
    expect(await ask(hub, "command:new", {})).toMatchObject({ verdict: "deny", reason: "wildcard" });
  });

  it("fail open when they cannot be loaded, and say so; a key of ours closes them", async () => {
    const files = { "handler.py": "this is no python" };
    const { hub, told } = await hubWith({ policy: { "HOOK.yaml": yaml('"tool:before"'), ...files } });
    expect(told).toEqual([expect.stringMatching(/policy\/HOOK.yaml:1:1: .*Hermes' dialect.*fails open/)]);
    expect(await ask(hub, "tool:before", call())).toMatchObject({ verdict: "pass" });
    const closed = await hubWith({ policy: { "HOOK.yaml": `${yaml('"tool:before"')}onFailure: closed\n`, ...files } });
    expect(closed.told).toEqual([]);
    expect(await ask(closed.hub, "tool:before", call())).toMatchObject({ verdict: "deny" });
    const both = await hubWith({ policy: { "HOOK.yaml": `${yaml('"tool:before"')}onFailure: closed\ndialect: hermes\n`, ...files } });
    expect(await ask(both.hub, "tool:before", call())).toMatchObject({ verdict: "deny" });
  });

  it("are listed with their dialect", async () => {
    const { hub } = await hubWith({ policy: { "HOOK.yaml": yaml('"command:*"'), "handler.py": "def handle(e, c): pass\n" } });
    const response = await fetch(new URL("/api/handlers", hub.file.url), {
      headers: { authorization: `Bearer ${hub.parts.tokens.operator}` },
    });
    expect(await response.json()).toMatchObject({
      handlers: [{ name: "policy", onFailure: "open" }],
      hooks: [{ name: "policy", dialect: "hermes", remarks: [expect.stringContaining("fails open")] }],
    });
  });

  it("hear on_session_end at the end of each turn, as Hermes fires it", async () => {
    const { hub, told, log } = await hubWith({
      policy: { "HOOK.yaml": yaml("on_session_end"), "handler.py": python.replace("DEF", "def") },
    });
    await hub.parts.bus.emit("session:end", { session: { id: "s" } });
    await hub.parts.bus.emit("turn:end", {});
    expect(log("policy")).toEqual(["on_session_end -"]);
    expect(told).toEqual([expect.stringMatching(/"on_session_end" is turn:end here: in Hermes it fires after every turn/)]);
  });
});

describe("a project's Hermes folder", () => {
  const folder = (answer: string) => ({
    [`${IN_HOOKS}/policy/HOOK.yaml`]: yaml('"tool:before"'),
    [`${IN_HOOKS}/policy/handler.py`]: `def handle(event_type, context):\n    return ${answer}\n`,
  });

  it("needs consent, which says that it fails open, and then can deny", async () => {
    const home = projectHome(folder('{"decision": "deny", "message": "not in this project"}'));
    const hub = await home.start();
    expect(await decideIn(hub, home.project)).toMatchObject({ verdict: "pass" });
    const [row] = home.trust.look(home.project);
    if (row === undefined) throw new Error("no hook");
    const { text } = home.trust.request(row.hook);
    expect(text).toMatch(/^dialect {2}hermes, open: when it fails, nothing is denied$/m);
    expect(text).toMatch(/^may +tools\.intercept$/m);
    home.consent("policy");
    await until(async () => (await decideIn(hub, home.project)).verdict === "deny");
    expect(await decideIn(hub, join(home.home, "other"))).toMatchObject({ verdict: "pass" });
  });

  it("cannot loosen: an allow is nothing", async () => {
    const toml = '[[rule]]\nname = "no-rm"\nmatch = "tool.input.command contains rm"\ndo = "ask"\n';
    const home = projectHome(folder('{"decision": "allow"}'), toml);
    home.consent("policy");
    const hub = await home.start();
    expect(await decideIn(hub, home.project, "rm x")).toMatchObject({ verdict: "ask" });
  });
});
