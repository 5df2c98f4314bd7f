import { spawnSync } from "node:child_process";
import { homedir, userInfo } from "node:os";
import { basename } from "node:path";
import { stateFolder } from "@hookline/core/internal/machine";
import { readAgentProcesses, startedBy } from "../hub/auth/agent-processes.js";
import { canSeeProcesses, chainOf } from "../hub/auth/processes.js";
import { CliError } from "./cli-error.js";
import { connectHub, Refusal } from "./hub-client.js";

const FIX = "Run it yourself, in a terminal that the agent did not start, or use the dashboard.";

/**
 * Refuses a command that operates if an attached agent has started it. A running hub decides, by what the operating system says about this
 * process. Without a hub, this process looks at its own parents.
 */
export async function mustOperate(action: string, env: NodeJS.ProcessEnv): Promise<void> {
  const hub = await connectHub(env).catch(() => undefined);
  if (hub !== undefined && canSeeProcesses) {
    const answer = await hub.post("/api/operator", JSON.stringify({ action })).catch((error: unknown) => error);
    if (!(answer instanceof Error)) return;
    if (answer instanceof Refusal && answer.code === "HL_NOT_OPERATOR") throw answer;
  }
  const agent = canSeeProcesses ? await agentAboveByRecord(env) : await agentAboveByName();
  if (agent !== undefined) throw new CliError(agent, { fix: FIX });
}

/** By what a hub has recorded, here or in the user's usual folder: a variable that moves the folder does not hide the record. */
async function agentAboveByRecord(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const folders = new Set([stateFolder(env), ...usualFolder()]);
  const found = startedBy([...folders].flatMap(readAgentProcesses), chainOf(process.pid) ?? []);
  if (found === undefined) return undefined;
  return (await import("../hub/auth/operator.js")).startedByText(found);
}

/** A user that the machine's list does not name has no usual folder. */
function usualFolder(): string[] {
  try {
    return [stateFolder({ HOME: userInfo().homedir })];
  } catch {
    return [];
  }
}

/** Where processes cannot be identified: by the names of the parents' programs. */
async function agentAboveByName(): Promise<string | undefined> {
  const { agents } = await import("../agents/agents.js");
  const rows = new Map(listProcesses().map((row) => [row.pid, row]));
  for (let row = rows.get(process.ppid); row !== undefined; row = rows.get(row.parent)) {
    const agent = agents.find(({ program }) => program.commands.includes(basename(row?.program ?? "")));
    if (agent !== undefined) return `Only a person may do this: the command was started by ${agent.title} (process ${row.pid}).`;
    rows.delete(row.pid);
  }
  return undefined;
}

interface Listed {
  readonly pid: number;
  readonly parent: number;
  readonly program: string;
}

function listProcesses(): Listed[] {
  if (process.platform === "win32") return [];
  const { stdout } = spawnSync("/bin/ps", ["-Ao", "pid=,ppid=,comm="], { encoding: "utf8", cwd: homedir() });
  return (stdout ?? "").split("\n").flatMap((line) => {
    const [, pid, parent, program = ""] = /^\s*(\d+)\s+(\d+)\s+(.*?)\s*$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), program }];
  });
}
