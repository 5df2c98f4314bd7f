import { basename, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { readPrivateJson, writePrivateJson } from "@hookline/core/internal/machine";
import { argumentsOf, bootId, chainOf, folderOf, isRunning, isShell, type ProcessId, programOf } from "./processes.js";

/** A process of an attached agent, known from the connection of its hook. */
export interface AgentProcess extends ProcessId {
  readonly agent: string;
}

export interface AgentProcesses {
  /** Whether the process of this session is known, runs, and was looked up a moment ago. */
  isFresh(agent: string, session: string): boolean;
  /** Records the agent that started this hook client, or that sent the request itself. */
  see(hook: { readonly agent: string; readonly session: string; readonly client: number; readonly isPosting: boolean }): void;
  /** The process of a session, if it was seen. */
  processOf(agent: string, session: string | undefined): number | undefined;
  /** The agent that started the process with this chain of parents. */
  startedBy(chain: readonly ProcessId[]): AgentProcess | undefined;
  list(): readonly AgentProcess[];
  /** The programs that were seen to run hooks of attached agents. */
  programs(): readonly AgentProgramFile[];
}

/** What a process of an agent runs. */
export interface AgentProgramFile {
  readonly agent: string;
  /** The executable. */
  readonly program: string;
  /** The script, if the executable is an interpreter. */
  readonly script?: string;
}

const FILE = "agent-processes.json";
const MAX_KNOWN = 256;
const MAX_SESSIONS = 1_024;
const MAX_PROGRAMS = 64;
/** Of these, the script says which program it is. */
const INTERPRETERS = ["node", "bun", "deno"];
/** Another process may continue a session, so the answer is not kept for long. */
const FRESH_MS = 30_000;

/** The processes that the hub has recorded in a state folder, as far as they still run. */
export function readAgentProcesses(state: string): readonly AgentProcess[] {
  const { boot, processes } = Object(readPrivateJson(state, FILE)) as { readonly boot?: unknown; readonly processes?: unknown };
  return boot === bootId() && Array.isArray(processes) ? processes.filter(isAgentProcess).filter(isRunning) : [];
}

/** They stay the same when the machine starts again. */
function readPrograms(state: string): readonly AgentProgramFile[] {
  const { programs } = Object(readPrivateJson(state, FILE)) as { readonly programs?: unknown };
  return Array.isArray(programs) ? programs.filter(isProgramFile).slice(-MAX_PROGRAMS) : [];
}

/** Keeps the processes of attached agents, for the hub and for commands that run without one. */
export function createAgentProcesses(options: {
  readonly state: string;
  /** The folder of the hook clients. */
  readonly clients: string;
  readonly onProblem: (text: string) => void;
}): AgentProcesses {
  const { state, clients, onProblem } = options;
  let known = readAgentProcesses(state);
  let programs: readonly AgentProgramFile[] = readPrograms(state);
  const sessions = new Map<string, { readonly process: ProcessId | undefined; readonly at: number }>();

  function add(found: AgentProcess): void {
    if (known.some((process) => isSame(process, found))) return;
    const file = programFile(found.pid);
    const program = file && { agent: found.agent, ...file };
    if (program !== undefined && !programs.some((one) => isDeepStrictEqual(one, program)))
      programs = [...programs, program].slice(-MAX_PROGRAMS);
    known = [...known.filter(isRunning), found].slice(-MAX_KNOWN);
    try {
      writePrivateJson(state, FILE, { boot: bootId(), processes: known, programs });
    } catch (error) {
      onProblem(`The processes of attached agents could not be saved: ${(error as Error).message}`);
    }
  }

  return {
    isFresh(agent, session) {
      const seen = sessions.get(`${agent} ${session}`);
      return seen !== undefined && performance.now() - seen.at < FRESH_MS && (seen.process === undefined || isRunning(seen.process));
    },
    see({ agent, session, client, isPosting }) {
      const chain = chainOf(client) ?? [];
      const found = agentIn(isPosting ? chain : chain.slice(1), clients);
      const key = `${agent} ${session}`;
      sessions.delete(key);
      sessions.set(key, { process: found, at: performance.now() });
      const [oldest] = sessions.keys();
      if (sessions.size > MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest);
      if (found !== undefined) add({ agent, pid: found.pid, startedAt: found.startedAt });
    },
    processOf: (agent, session = "") => sessions.get(`${agent} ${session}`)?.process?.pid,
    startedBy: (chain) => startedBy(known, chain),
    list: () => known.filter(isRunning),
    programs: () => programs,
  };
}

/** What a process runs; nothing for one that has exited. */
export function programFile(pid: number): Omit<AgentProgramFile, "agent"> | undefined {
  const program = programOf(pid);
  if (program === undefined) return undefined;
  if (!INTERPRETERS.includes(basename(program))) return { program };
  const script = argumentsOf(pid)
    .slice(1)
    .find((word) => !word.startsWith("-"));
  return script === undefined ? undefined : { program, script: resolve(folderOf(pid) ?? "/", script) };
}

export function startedBy(known: readonly AgentProcess[], chain: readonly ProcessId[]): AgentProcess | undefined {
  return known.find((agent) => chain.some((process) => isSame(agent, process)));
}

type Chain = NonNullable<ReturnType<typeof chainOf>>;

/**
 * The nearest process that is not part of the hook itself: not a shell, and not a command that names our client. The hub, its parents and the
 * first process are not agents: they appear where the agent has exited, and everything that the user starts would be their child.
 */
function agentIn(chain: Chain, clients: string): ProcessId | undefined {
  const found = chain.find((process) => !isShell(process) && !argumentsOf(process.pid).some((word) => word.includes(clients)));
  if (found === undefined || found.pid === 1) return undefined;
  return chainOf(process.pid)?.some((own) => isSame(own, found)) === true ? undefined : found;
}

function isSame(a: ProcessId, b: ProcessId): boolean {
  return a.pid === b.pid && a.startedAt === b.startedAt;
}

function isProgramFile(value: unknown): value is AgentProgramFile {
  const { agent, program, script = "" } = Object(value) as { readonly [Field in keyof AgentProgramFile]?: unknown };
  return [agent, program, script].every((one) => typeof one === "string");
}

function isAgentProcess(value: unknown): value is AgentProcess {
  const { agent, pid, startedAt } = Object(value) as { readonly [Field in keyof AgentProcess]?: unknown };
  return typeof agent === "string" && Number.isSafeInteger(pid) && Number.isSafeInteger(startedAt);
}
