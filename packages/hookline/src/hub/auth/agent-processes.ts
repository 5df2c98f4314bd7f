import { realpathSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { readPrivateJson, writePrivateJson } from "@hookline/core/internal/machine";
import { agents } from "../../agents/agents.js";
import { packagesOf, readPrograms as readAttachedPrograms } from "../../agents/attach/find-program.js";
import type { AgentDefinition } from "../../agents/shared/definition.js";
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
  processOf(agent: string, session: string | undefined): ProcessId | undefined;
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
/** For each agent. */
const MAX_PROGRAMS = 16;
/** Of these, the script says which program it is. */
const INTERPRETERS = ["node", "bun", "deno"];
/** Options of these whose value is the next word. */
const WITH_VALUE: readonly string[] = [
  ...["-r", "--require", "--preload", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--input-type"],
  ...["--env-file", "--env-file-if-exists", "--title", "--inspect-port", "--debug-port", "--max-http-header-size", "--icu-data-dir"],
  ...["--openssl-config", "--tls-cipher-list", "--tls-keylog", "--dns-result-order", "--unhandled-rejections", "--redirect-warnings"],
  ...[
    "--disable-warning",
    "--watch-path",
    "--diagnostic-dir",
    "--report-dir",
    "--report-directory",
    "--report-filename",
    "--heapsnapshot-signal",
  ],
  ...["--trace-event-categories", "--trace-event-file-pattern", "--secure-heap", "--secure-heap-min", "--localstorage-file"],
  ...[
    "--cpu-prof-dir",
    "--cpu-prof-name",
    "--heap-prof-dir",
    "--heap-prof-name",
    "--experimental-sea-config",
    "--config",
    "--tsconfig-override",
  ],
];
/** With these, the words that follow are not a script. */
const WITHOUT_SCRIPT = /^(-[pce]+|--eval|--print|--check|--test|--run)(=|$)/;
const OWN_PACKAGE = "hookline";
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
  return Array.isArray(programs) ? programs.filter(isProgramFile).filter((one) => !isOwn(one)) : [];
}

/** The newest ones of each agent, with this one as the last. */
function withProgram(programs: readonly AgentProgramFile[], seen: AgentProgramFile): readonly AgentProgramFile[] {
  const others = programs.filter((one) => !isDeepStrictEqual(one, seen));
  const [same, rest] = [others.filter(({ agent }) => agent === seen.agent), others.filter(({ agent }) => agent !== seen.agent)];
  return [...rest, ...same.slice(1 - MAX_PROGRAMS), seen];
}

/** Hookline's own commands send calls as agents do, to try the hooks. */
function isOwn({ program, script = program }: Omit<AgentProgramFile, "agent">): boolean {
  try {
    const own = process.argv[1];
    return (own !== undefined && realpathSync(own) === realpathSync(script)) || packagesOf(script)[0]?.name === OWN_PACKAGE;
  } catch {
    return false;
  }
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
    const file = programFile(found.pid) ?? titledFile(found, clients);
    if (file !== undefined && !isOwn(file)) programs = withProgram(programs, { agent: found.agent, ...file });
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
    processOf: (agent, session = "") => sessions.get(`${agent} ${session}`)?.process,
    startedBy: (chain) => startedBy(known, chain),
    list: () => known.filter(isRunning),
    programs: () => programs,
  };
}

/** What a process runs, by real paths; nothing for one that has exited. */
export function programFile(pid: number): Omit<AgentProgramFile, "agent"> | undefined {
  const program = programOf(pid);
  if (program === undefined) return undefined;
  if (!INTERPRETERS.includes(basename(program))) return { program };
  const script = scriptIn(argumentsOf(pid).slice(1), basename(program) !== "node");
  return script === undefined || script === "" ? undefined : { program, script: realPath(resolve(folderOf(pid) ?? "/", script)) };
}

/** The agent whose title has overwritten the command line of this process. */
export function titledAgent(pid: number): AgentDefinition | undefined {
  const [title, ...words] = argumentsOf(pid);
  return words.every((word) => word === "") ? agents.find(({ program }) => program.processTitle === title) : undefined;
}

/** For a process whose command line no longer names its script: the program that was attached. */
function titledFile({ agent, pid }: AgentProcess, attach: string): Omit<AgentProgramFile, "agent"> | undefined {
  const program = programOf(pid);
  const recorded = titledAgent(pid)?.id === agent ? readAttachedPrograms(attach)[agent]?.path : undefined;
  return program === undefined || recorded === undefined ? undefined : { program, script: realPath(recorded) };
}

function scriptIn(words: readonly string[], hasCommands: boolean): string | undefined {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (WITHOUT_SCRIPT.test(word)) return undefined;
    if (WITH_VALUE.includes(word)) at++;
    else if (word === "--") return words[at + 1];
    else if (!word.startsWith("-") && !(hasCommands && word === "run")) return word;
  }
  return undefined;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

export function startedBy(known: readonly AgentProcess[], chain: readonly ProcessId[]): AgentProcess | undefined {
  return known.find((agent) => chain.some((process) => isSame(agent, process)));
}

type Chain = NonNullable<ReturnType<typeof chainOf>>;

/**
 * The nearest process that is not part of the hook itself: not a shell, and not our client. The hub, its parents and the
 * first process are not agents: they appear where the agent has exited, and everything that the user starts would be their child.
 */
function agentIn(chain: Chain, clients: string): ProcessId | undefined {
  const found = chain.find((process) => !isShell(process) && !isClient(argumentsOf(process.pid), clients));
  if (found === undefined || found.pid === 1) return undefined;
  return chainOf(process.pid)?.some((own) => isSame(own, found)) === true ? undefined : found;
}

/** The words with which `writeClient` starts a client. Any other process with the path in its words may be the agent. */
function isClient(words: readonly string[], clients: string): boolean {
  const [options, path = ""] = [words.slice(1, -3), words.at(-2)];
  return [["-T", "-f", "-e"], ["-e"]].some((one) => isDeepStrictEqual(one, options)) && dirname(path) === clients;
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
