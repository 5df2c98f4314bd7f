import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startHub } from "../../packages/hookline/dist/hub/hub.js";
import { type Latency, latencyOf } from "../line/statistics.ts";

const WARM = 500;

/** Microseconds: what the hub does with one call, and the same with HTTP around it, sent and read in one process. */
export interface HubTimes {
  readonly handled: Latency;
  readonly overSocket: Latency;
}

/** A hub in this process, with rules for the tool of the call, none of which stops it. */
export async function timeHub(rules: number, calls: number): Promise<HubTimes> {
  const folder = mkdtempSync(join(tmpdir(), "hl-b-"));
  const config = join(folder, "hookline.toml");
  writeFileSync(config, rulesText(rules));
  const hub = await startHub({ state: join(folder, "state"), runtime: join(folder, "run"), config, port: 0, onProblem: () => {} });
  try {
    const dialect = hub.parts.agents.find("claude-code");
    if (dialect === undefined) throw new Error("The hub does not know Claude Code.");
    const { signal } = new AbortController();
    const handled = await timeEach(calls, async (text) => {
      const { reply } = await hub.parts.agents.answer({ dialect, native: "PreToolUse", payload: JSON.parse(text) }, signal);
      if (reply.exitCode !== 0) throw new Error("A rule stopped the call.");
    });
    const [, token = ""] = /Bearer ([\w-]+)/.exec(readFileSync(join(folder, "state", "attach", "key"), "utf8")) ?? [];
    const agent = new Agent({ keepAlive: true });
    const overSocket = await timeEach(calls, (text) => post({ socketPath: hub.file.http, token, agent }, text));
    agent.destroy();
    return { handled, overSocket };
  } finally {
    await hub.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As people write them: a tool, a pattern, a piece of text. */
export function rulesText(count: number): string {
  const matches = [
    "tool.input.command =~ 'git push .*(-f|--force) N'",
    "tool.input.command contains 'drop table N'",
    "tool.input.path == '/etc/N'",
  ];
  return Array.from({ length: count }, (_, at) => {
    const match = (matches[at % matches.length] ?? "").replace("N", String(at));
    return `[[rule]]\nname = "rule-${at}"\nevent = "tool:before"\nmatch = "tool.name == 'Bash' && ${match}"\ndo = "block"\nmessage = "not here"\n`;
  }).join("\n");
}

async function timeEach(calls: number, call: (text: string) => Promise<void>): Promise<Latency> {
  const times = new Float64Array(calls);
  for (let at = -WARM; at < calls; at++) {
    const text = payload(`${Math.random()}-${at}`);
    const start = performance.now();
    await call(text);
    if (at >= 0) times[at] = (performance.now() - start) * 1_000;
  }
  return latencyOf(times);
}

function payload(id: string): string {
  const common = { session_id: "868e35e6-0000", transcript_path: "/srv/project/t.jsonl", cwd: "/srv/project", permission_mode: "default" };
  const input = { command: "npm test -- --run packages/core", description: "Runs the tests" };
  return JSON.stringify({ ...common, hook_event_name: "PreToolUse", tool_name: "Bash", tool_use_id: `toolu_${id}`, tool_input: input });
}

interface Target {
  readonly socketPath: string;
  readonly token: string;
  readonly agent: Agent;
}

function post({ socketPath, token, agent }: Target, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const asked = request({ socketPath, agent, method: "POST", path: "/api/agents/claude-code/PreToolUse", headers }, (answer) => {
      answer.resume().on("end", () => (answer.statusCode === 200 ? resolve() : reject(new Error(`status ${answer.statusCode}`))));
    });
    asked.on("error", reject).end(body);
  });
}
