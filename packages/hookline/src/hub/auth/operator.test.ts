import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Hub, startHub } from "hookline/hub";
import { describe, expect, it, onTestFinished } from "vitest";
import { startGuardedProcess } from "../../../../../test/support/guarded-process.ts";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import { findAgent } from "../../agents/agents.js";
import { CANARY_REASON, canaryCall } from "../../agents/attach/canary.js";
import { clientScript, putClient } from "../../agents/attach/client-script.js";
import { attachFolder } from "../../agents/client/attach-key.js";
import type { AgentDefinition } from "../../agents/shared/definition.js";
import type { EventsAnswer } from "../protocol.js";
import { canSeeProcesses } from "./processes.js";

const main = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
const isRoot = process.getuid?.() === 0;
const ASK = '[[rule]]\nname = "ask-shell"\nevent = "tool:before"\ndo = "ask"\n';
const TIMEOUT = { timeout: 300_000 };

interface Setting {
  readonly hub: Hub;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** The words that run the agent's hook before a call. */
  readonly hook: readonly [string, ...string[]];
}

/** A hub in this process, with the folders in which the command line looks for it, and the client of an attached agent. */
async function startSetting(toml = ""): Promise<Setting> {
  const home = testFolder();
  for (const name of ["state", "state/hookline", "run", "run/hookline", "config", "config/hookline"])
    mkdirSync(join(home, name), { mode: 0o700 });
  const [state, runtime, config] = [join(home, "state/hookline"), join(home, "run/hookline"), join(home, "config/hookline/hookline.toml")];
  writeFileSync(config, toml);
  const hub = await startHub({ state, runtime, config, port: 0, onProblem: () => {} });
  onTestFinished(() => hub.close());
  const folder = attachFolder(state);
  const agent = findAgent("claude-code") as AgentDefinition;
  const client = clientScript({ agent, isStrict: false, env: process.env, folder, socket: hub.file.http });
  putClient(folder, client);
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    XDG_STATE_HOME: join(home, "state"),
    XDG_RUNTIME_DIR: join(home, "run"),
    XDG_CONFIG_HOME: join(home, "config"),
    NO_COLOR: "1",
  };
  return { hub, home, env, hook: ["/bin/sh", "-c", client.command("PreToolUse")] };
}

async function runHere(command: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (out += text));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, out };
}

const call = (session: string, command = "ls") =>
  JSON.stringify({ session_id: session, cwd: "/srv", tool_use_id: `t-${command}`, tool_name: "Bash", tool_input: { command } });

/** Sends a request that operates, from a process of its own. */
const POST = `
const [url, token] = process.argv.slice(1);
fetch(url + "/api/pause", { method: "POST", headers: { authorization: "Bearer " + token, "content-type": "application/json" }, body: '{"forMs":1000}' })
  .then(async (answer) => console.log(answer.status, await answer.text()));
`;

describe.skipIf(!canSeeProcesses)("who may operate", () => {
  it("refuses every way in which an agent's own processes operate, and allows a person's", TIMEOUT, async () => {
    const { hub, env, hook, home } = await startSetting();
    const agent = startGuardedProcess(env);
    const cli = (...args: readonly string[]) => [main, ...args];

    // Before its first hook the hub does not know the process. A canary is not a hook of the agent: a person's command sends it.
    const canary = JSON.stringify(canaryCall(findAgent("claude-code") as AgentDefinition).payload);
    expect(await agent.run(hook[0], hook.slice(1), canary)).toMatchObject({ out: expect.stringContaining(CANARY_REASON) });
    expect(hub.parts.agentProcesses.list()).toEqual([]);
    expect(await agent.run(hook[0], hook.slice(1), call("s1"))).toMatchObject({ code: 0 });
    expect(hub.parts.agentProcesses.list()).toMatchObject([{ agent: "claude-code", pid: agent.pid }]);

    const ways: { readonly [name: string]: readonly [string, ...string[]] } = {
      child: [process.execPath, ...cli("pause")],
      grandchild: ["/bin/sh", "-c", `'${process.execPath}' '${main}' pause; exit $?`],
      "session of its own, while its parent waits": ["setsid", "--wait", process.execPath, ...cli("pause")],
      "nohup in the foreground": ["nohup", process.execPath, ...cli("pause")],
      "other variables for the hub's folders": ["env", "NODE_OPTIONS=", process.execPath, ...cli("down", "--force")],
      "a change of files": [process.execPath, ...cli("rules", "add", "destructive-shell")],
      "a link that may approve": [process.execPath, ...cli("open", "--approve")],
    };
    for (const [name, [command, ...args]] of Object.entries(ways)) {
      const ran = await agent.run(command, args);
      expect(ran, name).toMatchObject({
        code: 1,
        out: expect.stringContaining("Only a person may do this: the command was started by Claude Code"),
      });
    }
    for (const url of [hub.file.url, hub.file.url.replace("127.0.0.1", "[::1]")]) {
      const { out } = await agent.run(process.execPath, ["-e", POST, url, hub.parts.tokens.operator]);
      expect(out, url).toMatch(/^403 .*HL_NOT_OPERATOR/);
    }
    expect(await agent.run(process.execPath, cli("status"))).toMatchObject({ code: 0, out: expect.stringContaining("alarm") });
    expect(hub.parts.pause.current()).toBeUndefined();

    const { alarms } = hub.parts.alarms.list();
    expect(alarms.reduce((sum, { count }) => sum + count, 0)).toBe(Object.keys(ways).length + 2);
    expect(alarms.every(({ kind, agent: id, process }) => kind === "refused" && id === "claude-code" && (process?.pid ?? 0) > 0)).toBe(
      true,
    );
    await expect.poll(() => hub.parts.store.counts(0)).toMatchObject({ "permission:refused": expect.any(Number) });

    // What the hub stores of the agent names its process.
    await agent.run(hook[0], [...hook.slice(1), "PreToolUse"], call("s1", "pwd"));
    const headers = { authorization: `Bearer ${hub.parts.tokens.operator}` };
    const sources = async () =>
      ((await (await fetch(`${hub.file.url}/api/events?source=claude-code`, { headers })).json()) as EventsAnswer).events.map(
        ({ source }) => source.pid,
      );
    await expect.poll(sources).toContain(agent.pid);

    // The first line of defence, not the wall: a process that leaves its parent is no longer the agent's.
    await agent.run("setsid", ["--fork", process.execPath, ...cli("pause", "--for", "10m")]);
    await expect.poll(() => hub.parts.pause.current()).toBeDefined();
    expect(hub.parts.alarms.list().alarms.find(({ kind }) => kind === "operated")).toMatchObject({
      text: "A process without a terminal acted as the operator while claude-code runs: POST /api/pause",
      process: { pid: expect.any(Number) },
    });

    expect(await runHere(process.execPath, cli("resume"), env)).toMatchObject({ code: 0 });
    for (const url of [hub.file.url, hub.file.url.replace("127.0.0.1", "[::1]")])
      expect((await runHere(process.execPath, ["-e", POST, url, hub.parts.tokens.operator], env)).out, url).toMatch(/^200 /);

    // Without a hub, the command looks at its own parents.
    await hub.close();
    expect(await agent.run(process.execPath, cli("rules", "add", "destructive-shell"))).toMatchObject({
      code: 1,
      out: expect.stringContaining("was started by Claude Code"),
    });
    expect(await runHere(process.execPath, cli("init", "--config", join(home, "new.toml")), env)).toMatchObject({ code: 0 });
  });

  it("lets the terminal operate in which the agent ran", TIMEOUT, async () => {
    const { hub, env, hook, home } = await startSetting();
    const agent = join(home, "agent.cjs");
    writeFileSync(
      agent,
      `require("node:child_process").execFileSync("${hook[0]}", ${JSON.stringify(hook.slice(1))}, { input: ${JSON.stringify(call("s1"))} });\n`,
    );
    const typed = `'${process.execPath}' '${agent}'; '${process.execPath}' '${main}' pause --for 10m; exit $?`;
    const ran = await runHere("script", ["--quiet", "--return", "--command", typed, "/dev/null"], {
      ...env,
      SHELL: "/bin/bash",
      TERM: "xterm",
    });
    expect(ran).toMatchObject({ code: 0 });
    expect(hub.parts.pause.current()).toBeDefined();
    expect(hub.parts.alarms.list().waiting).toBe(0);
  });

  it("refuses a process that has exited, although a child holds its connection", TIMEOUT, async () => {
    const { hub, env } = await startSetting();
    const request = `POST /api/pause HTTP/1.1\\r\\nHost: hookline\\r\\nAuthorization: Bearer ${hub.parts.tokens.operator}\\r\\nContent-Type: application/json\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\n{}`;
    const perl = `use Socket; socket(S, PF_UNIX, SOCK_STREAM, 0); connect(S, sockaddr_un($ARGV[0])) or die; my $p = $$; exit 0 if fork; sleep 1 while kill 0, $p and getppid == $p; syswrite S, "${request.replaceAll("@", "\\@")}"; print while <S>;`;
    const { out } = await runHere("perl", ["-e", perl, hub.file.http], env);
    expect(out).toContain("HL_NOT_OPERATOR");
    expect(out).toContain("has exited");
    expect(hub.parts.pause.current()).toBeUndefined();
  });

  it.skipIf(!isRoot)("refuses a process of another user, even with the operator's token", TIMEOUT, async () => {
    const { hub, env } = await startSetting();
    const as = ["--reuid", "65534", "--regid", "65534", "--clear-groups", "/usr/bin/perl", "-e", TCP_POST];
    const { port } = new URL(hub.file.url);
    const { out } = await runHere("setpriv", [...as, port, hub.parts.tokens.operator], env);
    expect(out).toContain("HL_NOT_OPERATOR");
    expect(out).toContain("the user with the number 65534");
    expect(hub.parts.alarms.list()).toMatchObject({ waiting: 1 });
  });

  it(
    "records how an answer was given by what it knows of the connection: with or without a terminal, and by which process",
    TIMEOUT,
    async () => {
      const { hub, env, hook } = await startSetting(ASK);
      const agent = startGuardedProcess(env);
      const headers = { authorization: `Bearer ${hub.parts.tokens.operator}`, "content-type": "application/json" };
      const get = async <T>(path: string) => (await (await fetch(hub.file.url + path, { headers })).json()) as T;
      const alone = { ...env, TERM: "xterm" };
      const onTerminal = (line: string) => runHere("script", ["--quiet", "--return", "--command", line, "/dev/null"], alone);
      const withoutTerminal = (line: string) => runHere("setsid", ["--wait", "sh", "-c", line], alone);
      // What a program says of itself is not what counts.
      const post = `'${process.execPath}' -e '${ANSWER}' '${hub.file.url}' '${hub.parts.tokens.operator}'`;
      const ways = [
        ["program", withoutTerminal, (id: string) => `'${process.execPath}' '${main}' approve ${id}`],
        ["terminal", onTerminal, (id: string) => `'${process.execPath}' '${main}' approve ${id}`],
        ["program", withoutTerminal, (id: string) => `${post} ${id}`],
        ["terminal", onTerminal, (id: string) => `${post} ${id}`],
      ] as const;
      for (const [index, [via, run, command]] of ways.entries()) {
        const asking = agent.run(hook[0], hook.slice(1), call("s1", `rm ${index}`));
        await expect.poll(() => hub.parts.approvals.list().length).toBe(1);
        const [{ id = "" } = {}] = hub.parts.approvals.list();
        if (index === 0) {
          expect(await agent.run(process.execPath, [main, "approve", id])).toMatchObject({ code: 1 });
          expect(hub.parts.approvals.list()).toHaveLength(1);
        }
        expect(await run(command(id))).toMatchObject({ code: 0 });
        await asking;
        const given = { via, process: { pid: expect.any(Number), uid: process.getuid?.() }, startedAt: expect.any(Number) };
        const { startedAt, ...told } = given;
        await expect
          .poll(async () => (await get<{ answers: readonly object[] }>("/api/approvals/answered")).answers[0])
          .toMatchObject({ id, startedAt, ...told });
        const { events } = await get<{ events: readonly { id: string; payload: object }[] }>(
          "/api/events?event=permission:replied&limit=1",
        );
        expect(events[0]?.payload).toMatchObject({ approval: { given } });
        const shown = await runHere(process.execPath, [main, "show", events[0]?.id ?? ""], env);
        const way = via === "terminal" ? "in a terminal" : "by a program without a terminal";
        expect(shown.out).toMatch(new RegExp(`answered ${way}, by process \\d+ \\(.*\\) of user ${process.getuid?.()}, started at 20`));
      }
    },
  );
});

const ANSWER = `
const [url, token, id] = process.argv.slice(1);
const headers = { authorization: "Bearer " + token, "content-type": "application/json" };
const of = async (answer) => (await answer).json();
of(fetch(url + "/api/approvals", { headers }))
  .then(({ approvals }) => approvals.find((row) => row.id === id))
  .then(({ hash }) => fetch(url + "/api/approvals/" + id, { method: "POST", headers, body: JSON.stringify({ verdict: "allow", hash, by: "ann" }) }))
  .then(({ status }) => process.exit(status === 200 ? 0 : 1));`.replaceAll("\n", " ");

const TCP_POST = `use Socket; socket(S, PF_INET, SOCK_STREAM, 0); connect(S, sockaddr_in($ARGV[0], inet_aton("127.0.0.1"))) or die; syswrite S, "POST /api/pause HTTP/1.1\\r\\nHost: 127.0.0.1:$ARGV[0]\\r\\nAuthorization: Bearer $ARGV[1]\\r\\nContent-Type: application/json\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\n{}"; print while <S>;`;
