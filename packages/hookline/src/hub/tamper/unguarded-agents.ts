import { kill } from "node:process";
import { isDeepStrictEqual } from "node:util";
import { errorText } from "@hookline/core";
import { shellWord } from "@hookline/core/internal/text";
import { findAgent } from "../../agents/agents.js";
import { agentFaults } from "../../agents/attach/agent-faults.js";
import { type Attached, covers, readAttached } from "../../agents/attach/attached.js";
import { isProgramOf } from "../../agents/attach/find-program.js";
import { splitMark } from "../../agents/install/file-owner.js";
import { readInstalled } from "../../agents/install/installed.js";
import { entriesFor } from "../../agents/install/remove-hooks.js";
import type { AgentDefinition, AttachTarget } from "../../agents/shared/definition.js";
import { readSettingsFiles } from "../../agents/shared/settings-files.js";
import { readConfigFile } from "../../config/read-config-file.js";
import type { AlarmReport } from "../alarms/alarms.js";
import { type AgentProcesses, programFile, titledAgent } from "../auth/agent-processes.js";
import { rowOf } from "../auth/operator.js";
import {
  argumentsOf,
  canSeeProcesses,
  folderOf,
  isRunning,
  listProcesses,
  mountsOf,
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
  /** Whether a hook of this process has asked the hub. */
  readonly isAsking: (process: ProcessId) => boolean;
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
  /** Missing if it has overwritten them. */
  readonly args?: readonly string[];
}

interface Fault {
  readonly text: string;
  /** The command that attaches the agent as it was started. */
  readonly attach?: string;
  /** Why the hub must not end the process. */
  readonly doubt?: string;
}

function targetOf(scope: string): AttachTarget {
  return scope === "project" || scope === "managed" ? scope : "user";
}

/**
 * Looks for processes of attached agents that were started in a way that leaves out Hookline's hooks: with options that switch them off, with
 * settings in another place, in a folder whose settings switch the hooks off, or with a start-up file that can end the shell of the hooks. Only on
 * Linux, and only for programs that the hub has seen before: an agent that runs its hooks shows which program it is.
 */
export function watchUnguardedAgents({ attach, programs, isAsking, raise, mode, onProblem, env = process.env }: UnguardedAgentsOptions): {
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
      if (mode() !== "managed" && programs().length > 0) for (const started of newAgents()) judge(started);
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
      // A process with its own files, or without its options, is given the time to ask the hub.
      const isHidden = started !== undefined && (mountsOf(pid) !== mountsOf(process.pid) || started.args === undefined);
      if (isHidden && now - started.startedAt <= YOUNG_TICKS) return [];
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
    const titled = file === undefined ? titledAgent(pid)?.id : undefined;
    const known = candidates.find(
      ({ program, script, agent: id }) => (file?.program === program && file.script === script) || id === titled,
    );
    const agent = known && findAgent(known.agent);
    if (known === undefined || agent === undefined) return undefined;
    const [variables, cwd] = [variablesOf(pid), folderOf(pid)];
    if (variables === undefined || cwd === undefined) return undefined;
    return { pid, startedAt, agent, file: known.script ?? known.program, env: variables, cwd, ...(file && { args: argumentsOf(pid) }) };
  }

  function judge(started: Started): void {
    try {
      const { agent, pid } = started;
      const row = rowOf(pid);
      const attached = readAttached(attach).filter((one) => one.agent === agent.id && covers(one, started.cwd));
      const fault = faultOf(started, attached);
      if (fault === undefined || isClosed) return;
      const mayEnd = mode() === "protect" && started.startedAt > since && attached.some(({ isStrict }) => isStrict);
      const doubt = isProgramOf(agent.program, started.file, env) ? fault.doubt : notAgent(started);
      const isEnded = mayEnd && doubt === undefined && end(started);
      const note = isEnded ? " The hub has ended it." : mayEnd && doubt !== undefined ? ` The hub has not ended it: ${doubt}` : "";
      raise({
        kind: "tampered",
        agent: agent.id,
        process: row,
        text: `${agent.title} was started without Hookline's hooks: ${fault.text}${note}`,
        fix: `Start it without that.${fault.attach === undefined ? "" : ` If it is your own choice, attach it there: ${fault.attach}`}`,
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

  /** Reads no files of a process that may see others under the same names. */
  function faultOf(started: Started, attached: readonly Attached[]): Fault | undefined {
    if (attached.length === 0) return undefined;
    if (mountsOf(started.pid) !== mountsOf(process.pid)) return hiddenFiles(started);
    const options = optionsOff(started, attached);
    if (options !== undefined) return { text: options };
    const moved = movedSettings(started, attached);
    if (moved !== undefined) return moved;
    const text = switchedOff(started, attached) ?? startUpFiles(started);
    return text === undefined ? hiddenOptions(started) : { text };
  }

  function hiddenFiles({ pid, startedAt }: Started): Fault | undefined {
    if (isAsking({ pid, startedAt })) return undefined;
    return { text: "it has its own mount namespace, so the hub cannot see which settings it reads.", doubt: "it may be in a container." };
  }

  function hiddenOptions({ pid, startedAt, args }: Started): Fault | undefined {
    if (args !== undefined || isAsking({ pid, startedAt })) return undefined;
    return { text: "it hides its options, and has not asked the hub since it started.", doubt: "it may not have begun a session." };
  }

  /** The hooks of one place are enough. */
  function optionsOff({ agent, env: variables, cwd, args = [] }: Started, attached: readonly Attached[]): string | undefined {
    const faults = attached.map(({ scope, path }) =>
      agent.install.optionsOff?.({ args, env: variables, cwd, target: targetOf(scope), path, hasHooks: (one) => hasHooks(agent, one) }),
    );
    return faults.includes(undefined) ? undefined : faults[0];
  }

  function movedSettings({ agent, env: variables, cwd }: Started, attached: readonly Attached[]): Fault | undefined {
    const users = attached.filter(({ scope }) => scope === "user");
    const paths = (["user", "project"] as const).map((target) => agent.install.settingsPath(target, variables, cwd));
    // Managed settings cannot be moved. Without an attachment of the user, nothing was.
    if (users.length === 0 || attached.some(({ path, scope }) => scope === "managed" || paths.includes(path))) return undefined;
    if (paths.some((one) => hasHooks(agent, one))) return undefined;
    const variable = Object.keys(variables).find((name) => {
      const alone = { ...env, [name]: variables[name] };
      return agent.install.settingsPath("user", alone, cwd) !== agent.install.settingsPath("user", env, cwd);
    });
    const strict = users.some(({ isStrict }) => isStrict) ? " --strict" : "";
    const setting = variable === undefined ? "" : `${variable}=${shellWord(variables[variable] ?? "")} `;
    return {
      text: `it reads its settings at "${paths[0]}", which has none of them.`,
      attach: `${setting}hookline attach ${agent.id}${strict}`,
      // Some agents read the settings of the folders above, too.
      ...(users.length < attached.length && { doubt: "the hooks of the project may run." }),
    };
  }

  /** Whether a file has all entries that Hookline wrote for the agent somewhere. An entry that only looks like one does not count. */
  function hasHooks(agent: AgentDefinition, path: string): boolean {
    const file = readConfigFile(path);
    if (file === undefined || !("text" in file)) return false;
    try {
      const { body } = splitMark(file.text);
      const records = readInstalled(attach).filter((one) => one.agent === agent.id && one.scope === "user");
      return records.some(({ entries, ...ours }) =>
        Object.entries(entries).every(([event, wanted]) => {
          const all = entriesFor(body, ours, event)?.all ?? [];
          return wanted.every((entry) => all.some((one) => isDeepStrictEqual(one, entry)));
        }),
      );
    } catch {
      return false;
    }
  }

  /** What is wrong in every folder is known: attach, doctor and the watch of the user's files tell of it. */
  function switchedOff({ agent, env: variables, cwd, args = [] }: Started, attached: readonly Attached[]): string | undefined {
    const faultsIn = (given: { readonly env: NodeJS.ProcessEnv; readonly cwd: string; readonly args: readonly string[] }): string[] =>
      attached.flatMap(({ path, scope }) => {
        const [file] = readSettingsFiles([path]);
        return [...agentFaults(agent, { ...given, target: targetOf(scope), path, settings: file?.settings })];
      });
    const usual = faultsIn({ env, cwd: "/", args });
    return faultsIn({ env: variables, cwd, args }).find((fault) => !usual.includes(fault));
  }

  /** The hub does not try such a file: it would run as the hub's child, and can tell that from the agent. */
  function startUpFiles({ agent, env: variables }: Started): string | undefined {
    const names = agent.install.startUpVariables?.() ?? [];
    const changed = names.filter((name) => (variables[name] ?? "") !== "" && variables[name] !== env[name]);
    const values = changed.map((name) => `${name}=${variables[name]}`).join(" ");
    return changed.length === 0
      ? undefined
      : `with ${values}, which the hub was started without, the shell of its hooks runs a file that can skip them.`;
  }

  if (canSeeProcesses) look();
  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
