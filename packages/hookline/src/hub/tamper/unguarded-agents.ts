import { kill } from "node:process";
import { errorText } from "@hookline/core";
import { findAgent } from "../../agents/agents.js";
import { askCanary } from "../../agents/attach/ask-canary.js";
import { type Attached, covers, readAttached } from "../../agents/attach/attached.js";
import { canaryCall } from "../../agents/attach/canary.js";
import { effectiveHook } from "../../agents/attach/effective-hooks.js";
import { isProgramOf } from "../../agents/attach/find-program.js";
import type { AgentDefinition, AttachTarget, InstallTarget } from "../../agents/shared/definition.js";
import { readSettingsFiles } from "../../agents/shared/settings-files.js";
import type { AlarmReport } from "../alarms/alarms.js";
import { type AgentProcesses, programFile } from "../auth/agent-processes.js";
import { rowOf } from "../auth/operator.js";
import {
  argumentsOf,
  canSeeProcesses,
  folderOf,
  isRunning,
  listProcesses,
  type ProcessId,
  programOf,
  readProcess,
  ticksNow,
  userOf,
  variablesOf,
} from "../auth/processes.js";
import type { Mode } from "../mode.js";

export interface UnguardedAgentsOptions {
  /** The folder of attached agents' files. */
  readonly attach: string;
  /** The programs that are known to be attached agents. */
  readonly programs: AgentProcesses["programs"];
  readonly raise: (alarm: AlarmReport) => void;
  readonly mode: () => Mode;
  readonly onProblem: (text: string) => void;
  /** The user's usual variables. Default: those of the hub. */
  readonly env?: NodeJS.ProcessEnv;
}

const PLAIN_MS = 500;
/** Before the agent's first call. */
const PROTECT_MS = 150;
/** A process that just began may still become another program. */
const YOUNG_TICKS = 500;

interface Started extends ProcessId {
  readonly agent: AgentDefinition;
  /** The program or script that it runs. */
  readonly file: string;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly args: readonly string[];
}

/**
 * Looks for processes of attached agents that were started in a way that leaves out Hookline's hooks: with options that switch them off, with
 * settings in another place, in a folder whose settings switch the hooks off, or with a start-up file that ends the shell of the hooks. Only on
 * Linux, and only for programs that the hub has seen before: an agent that runs its hooks shows which program it is.
 */
export function watchUnguardedAgents({ attach, programs, raise, mode, onProblem, env = process.env }: UnguardedAgentsOptions): {
  close(): void;
} {
  /** They are looked at once. */
  const judged = new Set<number>();
  const since = canSeeProcesses ? ticksNow() : 0;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function again(): void {
    if (!isClosed) timer = setTimeout(look, mode() === "protect" ? PROTECT_MS : PLAIN_MS).unref();
  }

  function look(): void {
    try {
      // The hub of a whole machine may not look at the variables of other users' processes.
      if (mode() !== "managed" && programs().length > 0) for (const started of newAgents()) void judge(started);
    } catch (error) {
      onProblem(`The processes of attached agents could not be checked: ${errorText(error)}`);
    }
    again();
  }

  function newAgents(): Started[] {
    const [running, now] = [new Set(listProcesses()), ticksNow()];
    for (const pid of judged) if (!running.has(pid)) judged.delete(pid);
    return [...running].flatMap((pid) => {
      if (judged.has(pid)) return [];
      const found = userOf(pid) === process.getuid?.() ? readProcess(pid) : undefined;
      const started = found && startedAgent(found);
      if (found === undefined || started !== undefined || now - found.startedAt > YOUNG_TICKS) judged.add(pid);
      return started ?? [];
    });
  }

  function startedAgent({ pid, startedAt }: ProcessId): Started | undefined {
    const executable = programOf(pid);
    const candidates = programs().filter(({ program }) => program === executable);
    // Most processes end here: this runs for every young one, several times a second.
    if (candidates.length === 0) return undefined;
    const file = programFile(pid);
    const known = candidates.find(({ program, script }) => file?.program === program && file.script === script);
    const agent = known && findAgent(known.agent);
    if (known === undefined || agent === undefined) return undefined;
    const [variables, cwd] = [variablesOf(pid), folderOf(pid)];
    if (variables === undefined || cwd === undefined) return undefined;
    return { pid, startedAt, agent, file: known.script ?? known.program, env: variables, cwd, args: argumentsOf(pid) };
  }

  async function judge(started: Started): Promise<void> {
    try {
      const { agent, pid } = started;
      const row = rowOf(pid);
      const attached = readAttached(attach).filter((one) => one.agent === agent.id && covers(one, started.cwd));
      const options = optionsOff(started, attached);
      const fault = options ?? (attached.length === 0 ? undefined : await faultOf(started, attached));
      if (fault === undefined || isClosed) return;
      const mayEnd = mode() === "protect" && started.startedAt > since && attached.some(({ isStrict }) => isStrict);
      const isKnown = isProgramOf(agent.program, started.file, env);
      const isEnded = mayEnd && isKnown && end(started);
      const note = isEnded ? " The hub has ended it." : mayEnd && !isKnown ? ` The hub has not ended it: ${notAgent(started)}` : "";
      raise({
        kind: "tampered",
        agent: agent.id,
        process: row,
        text: `${agent.title} was started without Hookline's hooks: ${fault}${note}`,
        fix: `Start it without that.${options === undefined ? ` If it is your own choice, attach it there: hookline attach ${agent.id}` : ""}`,
      });
    } catch (error) {
      onProblem(`A process of ${started.agent.title} could not be checked: ${errorText(error)}`);
    }
  }

  function notAgent({ agent, file }: Started): string {
    return `"${file}" is neither in the package of ${agent.title} nor the program that PATH finds.`;
  }

  function end(started: Started): boolean {
    try {
      return isRunning(started) && kill(started.pid, "SIGKILL");
    } catch {
      return false;
    }
  }

  async function faultOf(started: Started, attached: readonly Attached[]): Promise<string | undefined> {
    // `hookline run` brings the hooks by its own way.
    if (started.args.some((word) => word.includes(attach))) return undefined;
    return movedSettings(started, attached) ?? switchedOff(started, attached) ?? (await skippedHooks(started, attached));
  }

  /** The hooks of one place are enough. */
  function optionsOff({ agent, env: variables, cwd, args }: Started, attached: readonly Attached[]): string | undefined {
    const hasHooks = (path: string): boolean => hasHook(agent, path);
    const faults = attached.map(({ scope, path }) =>
      agent.install.optionsOff?.({ args, env: variables, cwd, target: scope as AttachTarget, path, hasHooks }),
    );
    return faults.includes(undefined) ? undefined : faults[0];
  }

  function movedSettings({ agent, env: variables, cwd }: Started, attached: readonly Attached[]): string | undefined {
    const paths = (["user", "project"] as const).map((target) => agent.install.settingsPath(target, variables, cwd));
    if (attached.some(({ path, scope }) => scope !== "user" || paths.includes(path))) return undefined;
    const [path = ""] = paths;
    return paths.some((one) => hasHook(agent, one)) ? undefined : `it reads its settings at "${path}", which has none of them.`;
  }

  function hasHook(agent: AgentDefinition, path: string): boolean {
    try {
      return effectiveHook(agent, { path, scope: "user" }, canaryCall(agent).event, attach) !== undefined;
    } catch {
      return false;
    }
  }

  /** What is wrong in every folder is known: attach, doctor and the watch of the user's files tell of it. */
  function switchedOff({ agent, env: variables, cwd, args }: Started, attached: readonly Attached[]): string | undefined {
    const faultsIn = (given: { readonly env: NodeJS.ProcessEnv; readonly cwd: string; readonly args: readonly string[] }): string[] =>
      attached.flatMap(({ path, scope }) => {
        const [file] = readSettingsFiles([path]);
        return [...(agent.install.faults?.({ ...given, target: scope as InstallTarget, path, settings: file?.settings }) ?? [])];
      });
    const usual = faultsIn({ env, cwd: "/", args });
    return faultsIn({ env: variables, cwd, args }).find((fault) => !usual.includes(fault));
  }

  /** Does what the agent would do, with its variables. */
  async function skippedHooks({ agent, env: variables }: Started, attached: readonly Attached[]): Promise<string | undefined> {
    const changed = (agent.install.startUpVariables ?? []).filter((name) => (variables[name] ?? "") !== (env[name] ?? ""));
    const [first] = attached;
    if (changed.length === 0 || first === undefined) return undefined;
    const { isDenied, how } = await askCanary(agent, first, { folder: attach, env: variables });
    const values = changed.map((name) => `${name}=${variables[name] ?? ""}`).join(" ");
    return isDenied ? undefined : `with ${values}, the shell of its hooks lets a call through that must be denied (${how}).`;
  }

  if (canSeeProcesses) look();
  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
