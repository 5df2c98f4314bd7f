import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Hub, startHub } from "hookline/hub";
import { describe, expect, it, onTestFinished } from "vitest";
import { call, extensionJson, hookYaml, putFiles } from "../../../../../test/support/hook-files.ts";
import { until } from "../../../../../test/support/http-hub.ts";
import { isRunning } from "../../../../../test/support/play-extension.ts";
import { decideIn, projectGuard, projectHome } from "../../../../../test/support/project-hub.ts";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import type { SourceKind } from "../../extensions/handler-source.js";
import type { HandlersAnswer, TrialAnswer } from "../protocol.js";

interface Installed {
  readonly files: { readonly [path: string]: string };
  readonly toml?: string;
}

const isMine = (name: string) => `command.includes("stop ${name}")`;
const moduleText = (name: string, signature: string, command: string) => `
  export const handle = (${signature}) => { const { command } = ${command}; return ${isMine(name)} ? { decision: "deny", reason: "${name} says no" } : undefined; };`;
const shellText = (name: string) => `case $(cat) in *"stop ${name}"*) echo '{"decision":"deny","reason":"${name} says no"}';; esac\n`;
/** Writes down each process it is, outside its folder: a change there is a new version. Never answers a turn. */
const programText = (name: string) => `
  import { appendFileSync } from "node:fs";
  appendFileSync(new URL("../../../pids", import.meta.url), process.pid + "\\n");
  let held = "";
  const say = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
  process.stdin.setEncoding("utf8").on("data", (chunk) => {
    const lines = (held + chunk).split("\\n");
    held = lines.pop();
    for (const { id, method, params } of lines.map((line) => JSON.parse(line))) {
      if (method === "initialize") say(id, { protocolVersion: 1 });
      if (method === "shutdown") { say(id, null); process.exit(0); }
      if (method !== "hook.handle" || params.event === "turn:before") continue;
      const { command } = params.payload.tool.input;
      say(id, ${isMine(name)} ? { decision: "deny", reason: "${name} says no" } : null);
    }
  });`;

/** One hook of every kind that there is: each denies the call that names it, and is open when it fails. */
const installed: { readonly [kind in SourceKind]: (url: string) => { readonly [name: string]: Installed } } = {
  module: () => ({
    module: {
      files: { "config/module.mjs": moduleText("module", "{ payload }", "payload.tool.input") },
      toml: 'module = "./module.mjs"',
    },
  }),
  command: () => ({
    command: { files: { "config/command.sh": shellText("command") }, toml: 'command = "/bin/sh"\nargs = ["command.sh"]' },
  }),
  folder: () => ({
    js: {
      files: {
        "config/hooks/js/HOOK.yaml": hookYaml("js", "onFailure: open\n"),
        "config/hooks/js/handler.mjs": moduleText("js", "_, { tool }", "tool.input"),
      },
    },
    sh: {
      files: {
        "config/hooks/sh/HOOK.yaml": hookYaml("sh", "onFailure: open\n"),
        "config/hooks/sh/handler.sh": shellText("sh"),
      },
    },
    py: {
      files: {
        "config/hooks/py/HOOK.yaml": hookYaml("py", "onFailure: open\ntimeoutMs: 30000\n"),
        "config/hooks/py/handler.py": `def handle(event, context):\n    return {"decision": "deny", "reason": "py says no"} if "stop py" in context["tool"]["input"]["command"] else None\n`,
      },
    },
  }),
  process: () => ({
    process: {
      files: {
        "config/hooks/process/extension.json": extensionJson("process", {
          permissions: ["tools.intercept", "agent.lifecycle"],
          hooks: [
            { event: "tool:before", onFailure: "open", timeoutMs: 30_000 },
            { event: "turn:before", timeoutMs: 0 },
          ],
        }),
        "config/hooks/process/main.mjs": programText("process"),
      },
    },
  }),
  url: (url) => ({ url: { files: {}, toml: `url = "${url}"` } }),
};

function tomlOf([name, { toml }]: [string, Installed]): string {
  return toml === undefined ? "" : `[[hook]]\nname = "${name}"\nevent = "tool:before"\nonFailure = "open"\ntimeoutMs = 30000\n${toml}\n\n`;
}

async function startGuard(): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    let text = "";
    for await (const chunk of incoming) text += chunk;
    const answer = JSON.stringify(text.includes("stop url") ? { decision: "deny", reason: "url says no" } : {});
    outgoing.writeHead(200, { "content-type": "application/json" }).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function startWith(hooks: readonly [string, Installed][], rules = "") {
  const home = testFolder();
  const config = join(home, "config/hookline.toml");
  putFiles(home, { "config/hookline.toml": rules + hooks.map(tomlOf).join("") });
  for (const [, { files }] of hooks) putFiles(home, files);
  for (const name of ["state", "run"]) mkdirSync(join(home, name), { mode: 0o700 });
  const hub = await startHub({ state: join(home, "state"), runtime: join(home, "run"), config, port: 0, onProblem: () => {} });
  onTestFinished(() => hub.close());
  return { home, hub };
}

function post(hub: Hub, path: string, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${hub.file.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${hub.parts.tokens.operator}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal !== undefined && { signal }),
  });
}

async function listed(hub: Hub): Promise<HandlersAnswer> {
  const answer = await fetch(`${hub.file.url}/api/handlers`, { headers: { authorization: `Bearer ${hub.parts.tokens.operator}` } });
  return (await answer.json()) as HandlersAnswer;
}
const idOf = async (hub: Hub, name: string) => (await listed(hub)).hooks.find((hook) => hook.name === name)?.id ?? name;
const live = async (hub: Hub, command: string) =>
  (await post(hub, "/api/decide", { event: "tool:before", payload: call(command), timeoutMs: 60_000 })).json();
const tryIt = async (hub: Hub, owner: string) =>
  (await (await post(hub, "/api/handlers/test", { owner, event: "tool:before" })).json()) as TrialAnswer;
const linesIn = (file: string) => readFileSync(file, "utf8").trim().split("\n");

describe("the trial of a hook", () => {
  it("leaves the hook that runs alone, whatever kind it is, and counts for nothing", async () => {
    const url = await startGuard();
    const hooks = Object.values(installed).flatMap((make) => Object.entries(make(url)));
    const { hub, home } = await startWith(hooks);
    const names = hooks.map(([name]) => name);
    for (const name of names) expect(await live(hub, `stop ${name}`), name).toMatchObject({ verdict: "deny", reason: `${name} says no` });
    const rowsOf = async () =>
      (await listed(hub)).handlers.map(({ name, event, stats, health }) => ({ name, event, calls: stats?.calls, health }));
    const before = await rowsOf();

    for (const name of names) {
      const owner = await idOf(hub, name);
      const [first, second, decided] = await Promise.all([tryIt(hub, owner), tryIt(hub, owner), live(hub, `stop ${name}`)]);
      for (const trial of [first, second, await tryIt(hub, owner)])
        expect(trial, name).toMatchObject({ verdict: "pass", wasAsked: true, errors: [] });
      expect(decided, name).toMatchObject({ verdict: "deny", reason: `${name} says no` });
      expect(await live(hub, `stop ${name}`), name).toMatchObject({ verdict: "deny", reason: `${name} says no` });
    }
    expect((await post(hub, "/api/selftest", {})).status).toBe(200);
    for (const name of names) expect(await live(hub, `stop ${name}`), name).toMatchObject({ verdict: "deny", reason: `${name} says no` });

    // A hook is asked until one denies: those before it see its calls too. A trial is none of them.
    const asked = (name: string) => 3 * (names.length - orderOf(before).indexOf(name));
    const counts = (rows: typeof before) =>
      new Map(rows.filter(({ event }) => event === "tool:before").map(({ name, calls }) => [name, calls ?? 0]));
    const grown = [...counts(await rowsOf())].map(([name, calls]) => [name, calls - (counts(before).get(name) ?? 0)]);
    expect(grown).toEqual(orderOf(before).map((name) => [name, asked(name)]));
    expect((await listed(hub)).handlers.map(({ name, health }) => [name, health?.state, health?.restarts ?? 0])).toEqual(
      before.map(({ name }) => [name, "running", 0]),
    );
    // The first process is the one that answers; those of the trials are gone.
    const [first, ...trials] = linesIn(join(home, "pids")).map(Number);
    expect(trials).toHaveLength(3);
    expect([first, ...trials].map((pid) => isRunning(pid as number))).toEqual([true, false, false, false]);
  });

  it("stops what it started when its caller has gone", async () => {
    const { hub, home } = await startWith(Object.entries(installed.process("")));
    expect(await live(hub, "stop process")).toMatchObject({ verdict: "deny" });
    const gone = new AbortController();
    const pids = () => linesIn(join(home, "pids")).map(Number);
    const trial = post(hub, "/api/handlers/test", { owner: await idOf(hub, "process"), event: "turn:before" }, gone.signal);
    await until(() => pids().length === 2);
    gone.abort();
    await expect(trial).rejects.toThrow();
    await until(() => !isRunning(pids()[1] as number));
    expect([pids().map(isRunning), await live(hub, "stop process")]).toMatchObject([[true, false], { verdict: "deny" }]);
    const last = post(hub, "/api/handlers/test", { owner: await idOf(hub, "process"), event: "turn:before" }).catch(() => {});
    await until(() => pids().length === 3);
    await hub.close();
    await last;
    await until(() => pids().every((pid) => !isRunning(pid)));
  });

  it("runs nothing of a hook that does not run, and says what to do", async () => {
    const files = {
      "config/hooks/off/HOOK.yaml": hookYaml("off", "enabled: false\n"),
      "config/hooks/off/handler.mjs":
        'import { writeFileSync } from "node:fs";\nwriteFileSync(new URL("../../../ran", import.meta.url), "");',
      "config/hooks/bad/HOOK.yaml": hookYaml("bad"),
      "config/hooks/crash/HOOK.yaml": hookYaml("crash"),
      "config/hooks/crash/handler.mjs": 'throw new Error("boom");',
    };
    const { hub, home } = await startWith([["", { files }]]);
    const refused = async (name: string) => {
      const answer = await post(hub, "/api/handlers/test", { owner: await idOf(hub, name) });
      const { error } = (await answer.json()) as { error?: { message: string; fix?: string } };
      return [answer.status, `${error?.message} ${error?.fix}`];
    };
    expect(await refused("off")).toEqual([409, expect.stringMatching(/"off" is disabled.*hookline hooks enable off/)]);
    expect(await refused("bad")).toEqual([409, expect.stringMatching(/"bad" is broken.*no handler.*hookline hooks doctor/)]);
    expect(existsSync(join(home, "ran"))).toBe(false);
    expect(await tryIt(hub, await idOf(hub, "crash"))).toMatchObject({
      verdict: "deny",
      failure: "spawn_error",
      errors: [expect.stringContaining("boom")],
    });
  });

  it("runs a project's hook as the project may, and nothing of one that was changed", async () => {
    const allowing = 'export const handle = (_, { tool }) => ({ decision: tool.input.command === "ls" ? "allow" : "deny" });';
    const machine = projectHome(projectGuard("guard", allowing));
    machine.consent("guard");
    const hub = await machine.start();
    expect(await decideIn(hub, machine.project, "rm")).toMatchObject({ verdict: "deny" });
    const owner = await idOf(hub, "guard");
    const trial = await tryIt(hub, owner);
    expect(trial.verdict).not.toBe("allow");
    expect(await decideIn(hub, machine.project, "rm")).toMatchObject({ verdict: "deny", by: "proj/guard" });
    machine.write(projectGuard("guard", `${allowing}\n// changed`));
    await post(hub, "/api/selftest", {});
    const refused = await post(hub, "/api/handlers/test", { owner });
    expect([refused.status, await refused.json()]).toMatchObject([
      409,
      { error: { fix: expect.stringContaining("hookline hooks trust") } },
    ]);
  });
});

function orderOf(rows: readonly { readonly name: string; readonly event: string }[]): string[] {
  return rows.filter(({ event }) => event === "tool:before").map(({ name }) => name);
}
