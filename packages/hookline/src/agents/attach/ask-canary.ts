import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Managed } from "@hookline/core/internal/machine";
import type { AgentDefinition } from "../shared/definition.js";
import { askPlugin, type Unasked } from "./ask-plugin.js";
import type { Attached } from "./attached.js";
import { CANARY_REASON, type CanaryCall, canaryCall } from "./canary.js";
import { type EffectiveHook, effectiveHook, type HookedFile } from "./effective-hooks.js";
import { postingAgents } from "./http-entries.js";

export interface CanaryAnswer {
  readonly isDenied: boolean;
  /** The hub denied it, not a strict client that could not reach the hub. */
  readonly isFromHub: boolean;
  /** What came back. */
  readonly how: string;
  /** Text that the agent's shell printed besides the answer. */
  readonly stray?: string;
  readonly unasked?: Unasked;
}

const LIMIT_MS = 15_000;
const MAX_SHOWN = 200;
/** An answer is shorter. What prints more than this is ended, and did not deny. */
const MAX_OUTPUT = 256 * 1_024;
/** A user who owns nothing. */
const NOBODY = 65_534;

interface CanarySetting {
  /** The folder `attach` of the state folder. */
  readonly folder: string;
  /** Of a managed hub, which the agents of all users ask. */
  readonly managed?: Pick<Managed, "group">;
}

/** Sends a call that must be denied as the agent would: by the command in its file, in the shell that it uses, or by HTTP. */
export function askCanary(agent: AgentDefinition, attached: Attached, setting: CanarySetting): Promise<CanaryAnswer> {
  const { transport, url, path } = attached;
  const canary = canaryCall(agent);
  if (transport === "http" && url !== undefined)
    return askByHttp(`${url}/api/agents/${agent.id}/${canary.event}?plain=1`, canary, heldKey(setting, path));
  if (agent.install.plugin !== undefined)
    return askPlugin(agent, attached, canary).then(({ isDenied, said, how, unasked }) =>
      unasked === undefined ? judged(isDenied, said, how) : { isDenied, isFromHub: false, how, unasked },
    );
  return askByCommand(agent, attached, setting, canary);
}

function heldKey({ folder }: CanarySetting, path: string): string {
  return postingAgents(folder).find((one) => one.path === path)?.keys[0] ?? "";
}

async function askByHttp(url: string, { payload }: CanaryCall, token: string): Promise<CanaryAnswer> {
  try {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const signal = AbortSignal.timeout(LIMIT_MS);
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(payload), redirect: "error", signal });
    const body = await response.text();
    return judged(response.ok && isDeny(body), body, `status ${response.status}`);
  } catch (error) {
    return judged(false, "", (error as Error).message);
  }
}

async function askByCommand(
  agent: AgentDefinition,
  attached: Attached,
  { folder, managed }: CanarySetting,
  { event, payload }: CanaryCall,
): Promise<CanaryAnswer> {
  const hook = findHook(agent, attached, folder, event);
  if (typeof hook === "string") return judged(false, "", hook);
  const [shell = "", ...options] = agent.install.shell();
  // Root may read every key, so it shows nothing about the users. Asked as any user of the group.
  const account = managed !== undefined && process.geteuid?.() === 0 ? { uid: NOBODY, gid: managed.group, cwd: "/" } : {};
  const input = JSON.stringify(payload);
  const file = agent.install.pipesInput === true ? openedWith(input) : undefined;
  const answer = new Promise<CanaryAnswer>((resolve) => {
    const child = spawn(shell, [...options, hook.command ?? ""], {
      stdio: [file ?? "pipe", "pipe", "pipe"],
      timeout: LIMIT_MS,
      killSignal: "SIGKILL",
      ...account,
      env: { ...process.env, ...hook.env },
    });
    let [out, err] = ["", ""];
    const isLong = (): boolean => out.length + err.length > MAX_OUTPUT;
    const hear = (add: (text: string) => void) => (chunk: Buffer) => {
      if (!isLong()) add(chunk.toString());
      if (!isLong()) return;
      child.kill("SIGKILL");
      // What it has started may keep the pipes open.
      child.stdout?.destroy();
      child.stderr?.destroy();
    };
    child.stdout?.on(
      "data",
      hear((text) => (out += text)),
    );
    child.stderr?.on(
      "data",
      hear((text) => (err += text)),
    );
    child.stdin?.on("error", () => {});
    child.on("error", (error) => resolve(judged(false, "", error.message)));
    child.on("close", (code) => {
      if (isLong()) return resolve(judged(false, out + err, `it printed more than ${MAX_OUTPUT / 1_024} KiB`));
      const answer = judged(code === 2 || isDeny(out), out + err, `exit code ${code}`);
      resolve(out === "" || isJson(out) ? answer : { ...answer, stray: out.slice(0, out.includes("{") ? out.indexOf("{") : MAX_SHOWN) });
    });
    child.stdin?.end(input);
  });
  return answer.finally(() => file !== undefined && closeSync(file));
}

/** Node makes sockets for a child. A file has the effect of a pipe: Bash does not take it for a connection. */
function openedWith(text: string): number {
  const path = join(tmpdir(), `hookline-canary-${randomBytes(8).toString("hex")}`);
  writeFileSync(path, text, { mode: 0o600, flag: "wx" });
  const file = openSync(path, "r");
  rmSync(path);
  return file;
}

/** Our hook in the agent's file, or why the agent would not run one. */
function findHook(agent: AgentDefinition, file: HookedFile, folder: string, event: string): EffectiveHook | string {
  try {
    return effectiveHook(agent, file, event, folder) ?? `no hook of Hookline for ${event} is in the file`;
  } catch (error) {
    return `the agent cannot read the file (${(error as Error).message})`;
  }
}

function isDeny(text: string): boolean {
  return /deny|block/.test(text);
}

/** A deny is JSON alone: text before or after it makes agents ignore it. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function judged(isDenied: boolean, said: string, how: string): CanaryAnswer {
  return { isDenied, isFromHub: said.includes(CANARY_REASON), how: `${how}, ${JSON.stringify(said.slice(0, MAX_SHOWN))}` };
}
