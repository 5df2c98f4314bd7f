import type { Decision } from "@hookline/core";
import type { FileSyntax } from "../install/line-file.js";
import type { NeededSetting } from "../install/toml-hooks.js";
import type { AgentContracts } from "./contract.js";
import type { Json } from "./native-payload.js";
import type { RunPlan, RunRequest } from "./run-plan.js";
import type { AgentSessions } from "./sessions.js";
import type { AgentSurface } from "./surface.js";
import type { ToolTable } from "./tool-table.js";

/**
 * Everything that Hookline knows about one agent. An agent is a folder beside this one with one of these in its `definition.ts`, and a line in
 * the list of `agents.ts`. No other code names an agent.
 */
export interface AgentDefinition extends AgentDialect {
  readonly program: AgentProgram;
  /** How its hooks behave, by version: what was measured, or what its documentation says. */
  readonly contracts: AgentContracts;
  readonly install: AgentInstall;
  /** Ways around its hooks that Hookline cannot close: one or two sentences each. */
  readonly holes: readonly string[];
  /** Prepares `hookline run`. Missing if the agent reads hooks only from the user's own files: `run` then refuses to start it. */
  planRun?(request: RunRequest): Promise<RunPlan>;
  /** The files in which it keeps its sessions. Missing if Hookline cannot read them. */
  readonly sessions?: AgentSessions;
}

/** How the agent's program and its version are found. */
export interface AgentProgram {
  /** The names that its command may have. */
  readonly commands: readonly string[];
  /** The npm package that says its version. Missing where it is installed in another way. */
  readonly package?: string;
  /** The packages of single platforms that hold its native program beside that package. The hub looks at processes on Linux only. */
  readonly nativePackages?: readonly string[];
  /** The program counts its versions in another way than the package, and is asked for its own. */
  readonly hasOwnVersions?: true;
  /** What its process calls itself once it has started. This overwrites its command line, in which its script and its options were. */
  readonly processTitle?: string;
}

/**
 * What an agent can do with an answer to one of its events. `ask`: the call waits until a person has answered the hub. `inject`: the model is
 * told something. `replace`: the model gets another output of the tool. An event with an empty list can be observed only.
 */
export type AgentPower = "block" | "ask" | "allow" | "modify" | "inject" | "again" | "endLoop" | "replace";

/** One of an agent's events. */
export interface NativeEvent {
  /** The event it becomes. */
  readonly event: string;
  readonly can: readonly AgentPower[];
  /** Why Hookline does not subscribe to it: for example, its hook would replace what the agent does by itself. */
  readonly leftAlone?: string;
}

/** A row of an agent's table of events. */
export function nativeEvent<const E extends string>(
  event: E,
  ...can: AgentPower[]
): { readonly event: E; readonly can: readonly AgentPower[] } {
  return { event, can };
}

/** An agent's event in our words. */
export interface Translated {
  /** A canonical name. An event that the definition does not list gets a custom name, such as `codex:something_new`. */
  readonly event: string;
  /** Session, agent, tool, cwd and other known fields, and the agent's original payload under `raw`. */
  readonly payload: { readonly [key: string]: unknown };
  /** The same for two deliveries of one call. */
  readonly key?: string;
}

/** The exact output of the hook's process. */
export interface HookReply {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** The parts of a decision that can be sent to an agent. `ask` is settled before: only an agent that can ask receives it. */
export interface AgentDecision extends Pick<Decision, "verdict" | "reason" | "payload" | "modified" | "endLoop" | "injections" | "again"> {
  /** Replaces the tool's output for the model. Missing if the output stays. */
  readonly output?: { readonly value: unknown };
}

/** The empty decision: the agent does what it would have done without a hook. */
export const PASS: AgentDecision = {
  verdict: "pass",
  reason: undefined,
  payload: undefined,
  modified: false,
  endLoop: false,
  injections: [],
  again: undefined,
};

/** A tool call as an agent's hook gets it: canaries and examples are sent in this form. */
export interface NativeTool {
  readonly name: string;
  readonly input: Json;
  /** Further fields of the event, such as the server that an MCP tool comes from. */
  readonly more?: Json;
}

/** The session and folder that a sample is sent from. */
export interface SampleOrigin {
  readonly session: string;
  readonly cwd: string;
}

/** What an agent's hooks get, with the fields that were captured from the program. */
export interface AgentSamples {
  /** One of its events about a tool call. */
  call(native: string, tool: NativeTool, origin: SampleOrigin): Json;
  /** One of its events about a prompt. */
  prompt(native: string, text: string, origin: SampleOrigin): Json;
  /** The input of one of its tools in the agent's form, if renaming fields is not enough. */
  input?(tool: string, common: Json): Json | undefined;
  /** What it calls a tool of an MCP server. */
  mcpTool(server: string, tool: string): Omit<NativeTool, "input">;
}

/** What is known of the files that an agent loads. */
export interface LoadedFiles {
  /** The commands that the agent runs, with their files. */
  readonly commands: readonly string[];
  /** Why there may be more commands. */
  readonly unknown?: string;
}

/** How an agent writes its JSON: pure functions, its event in and its answer out. */
export interface AgentDialect {
  /** As `hookline attach` and the source of its events name it. */
  readonly id: string;
  /** As people write it. */
  readonly title: string;
  /** Every event that it has, by its own name. */
  readonly events: { readonly [native: string]: NativeEvent };
  /** Every tool that it is known to have, by the name that its hooks get; the shell first. */
  readonly tools: ToolTable;
  readonly samples: AgentSamples;
  /** The fields of its payload that hold a tool's output. */
  readonly outputFields: readonly string[];
  /** For an agent that accepts a new output only in the tool's own shape. */
  readonly outputShapes?: OutputShapes;
  /**
   * Calls that it does not report to its hooks, by the event that they would be. Each text continues a sentence that begins with the agent's title.
   */
  readonly unreported?: { readonly [event: string]: string };
  /** Set if it also runs hooks that were written for another agent, and expects answers in its own dialect. */
  readonly runsHooksOf?: {
    /** The other agent's id. */
    readonly agent: string;
    /** Whether this agent sent a payload that arrived at the other's hook. */
    isSender(payload: unknown): boolean;
  };
  /**
   * The event with which it says that a file of its settings has changed, before it uses the file. The path is the payload's `target`. A hook can
   * keep it from using the file.
   */
  readonly settingsChange?: { readonly native: string; refuse(reason: string): HookReply };
  /** What it runs while it loads what an event is about. None of its hooks is asked about it. Reads files. */
  loads?(event: Translated): LoadedFiles;
  /** The key in `events`, for an agent that spells names in two ways. */
  nameOf?(native: string): string | undefined;
  /** Never throws. A payload that it cannot read becomes an event with the fields that it could read. */
  translate(native: string, payload: unknown): Translated;
  /**
   * Empty for the verdict `pass` without anything to inject: it must not skip the agent's own prompts. An agent that takes silence for a failure gets
   * its word for it.
   */
  reply(native: string, decision: AgentDecision, asked: Translated): HookReply;
}

interface OutputShapes {
  /** Tools for which one shape always fits. */
  readonly fixedTools: readonly string[];
  /** Fields of an output that hold the kind of something: their words stay. */
  readonly kindFields: readonly string[];
}

/** `user`: every session of the user. `project`: the sessions in one folder. */
export type InstallTarget = "user" | "project";
/** `managed`: every session of every user of the machine, who cannot change it. */
export type AttachTarget = InstallTarget | "managed";

export type Environment = { readonly [name: string]: string | undefined };

/** Where the agent reads its hooks, and what is written there. */
export interface AgentInstall {
  readonly targets: readonly InstallTarget[];
  settingsPath(target: InstallTarget, env: Environment, cwd: string): string;
  readonly file: HooksFile;
  /** For an agent that has a file for each event: the files besides the one at `settingsPath`. */
  readonly parts?: AgentParts;
  /** The settings that its user can neither change nor switch off, or why its hooks there do not hold. Missing where it was not tried. */
  readonly managed?: ManagedHooks | { readonly refused: string };
  /** How the agent starts the command of a hook: these words, then the command. */
  shell(): readonly string[];
  /** These words are the user's own shell, and other users may have another one. */
  readonly hasUsersShell?: true;
  /** The fields of an entry. */
  readonly entry: EntryFields;
  /** For an agent that runs plugins in its own process. */
  readonly plugin?: AgentPlugin;
  /** For a text of ours alone that holds all hooks: the one of an event, with the fields of an entry. Missing where the text is the command. */
  entryIn?(text: string, event: string): Json | undefined;
  /** For an agent that ignores a plugin which it cannot load: with `--strict`, this keeps it from working without the plugin. */
  readonly lock?: AgentLock;
  /** Whether the agent can post to the hub itself. */
  readonly canPost?: true;
  /** It runs the hooks of both targets, and its payload does not show that they are about one call. */
  readonly deliversTwice?: true;
  /** The files that can switch off the hooks in the file at `path`: that file itself, and others that the agent reads. */
  offSwitches?(file: { readonly path: string; readonly target: AttachTarget; readonly env: NodeJS.ProcessEnv }): readonly OffSwitch[];
  /** The files of a project that can switch off the user's hooks for sessions in this folder. */
  projectSwitches?(folder: string): readonly OffSwitch[];
  /**
   * What keeps a process from running the hooks of this target, in the options or variables that it was started with. The text ends a sentence that
   * says so of the process. Reads the files that the options name.
   */
  optionsOff?(start: AgentStart): string | undefined;
  /** Its hooks read from a pipe. Other agents use a socket, with which Bash reads other start-up files. */
  readonly pipesInput?: true;
  /** Variables that name a file which its shell runs before each hook. Such a file can end the shell, and the agent then continues. */
  startUpVariables?(): readonly string[];
  /** Files that its shell runs before each hook, whatever the variables say. */
  startUpFiles?(env: Environment): readonly string[];
  /** What prevents its hooks from running now, in any of the files that it reads: one sentence each. */
  faults?(setting: CautionSetting): readonly string[];
  /** What else decides whether its hooks run as they were written. */
  readonly surface?: AgentSurface;
  /** It reads its settings when it starts, and not again. */
  readonly readsOnce?: true;
  /** What may prevent its hooks from running later: one sentence each. */
  cautions?(setting: CautionSetting): readonly string[];
}

interface AgentParts {
  readonly events: readonly string[];
  /** The file of an event, beside the one at `settingsPath`. */
  path(main: string, event: string): string;
  text(event: string, options: EntryOptions): string;
}

/** A plugin that asks the hub from the agent's own process. */
interface AgentPlugin {
  /** JavaScript that calls `ask` and `tell` of the client and returns the plugin. */
  readonly hooks: string;
  /** The line that exports `plugin` as the agent wants it. */
  readonly exported: string;
  /** Arguments with which the agent loads its plugins and ends, without a model. */
  readonly probe: readonly string[];
}

/** A setting with which the agent does nothing, and that the plugin takes back each time it is loaded. */
export interface AgentLock {
  /** The file with the setting, for a plugin at this path. Looks which files there are. */
  path(plugin: string): string;
  isLocked(text: string): boolean;
  /** `text` is missing if there is no file. */
  locked(text: string | undefined): string;
  /** Undefined if nothing else is in the file. */
  unlocked(text: string): string | undefined;
}

/** How a process of an agent was started. */
export interface AgentStart {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly target: AttachTarget;
  /** The file with the hooks. */
  readonly path: string;
  /** Whether this file brings Hookline's hooks, as one that `hookline run` wrote does. */
  hasHooks(path: string): boolean;
}

/** The names of the fields. What a timeout means is in the agent's contract. */
interface EntryFields {
  readonly command: string;
  readonly timeout: string;
}

/** A file that can switch off an agent's hooks. */
export interface OffSwitch {
  readonly path: string;
  /** What switches them off. The text continues a sentence that begins with the agent's title. */
  readonly says: string;
  isOff(text: string): boolean;
  /** The text without the setting. `good`: the text with which the hooks ran, if it is known. */
  turnedOn(text: string, good: string): string;
}

/** Where an agent reads hooks that its user can neither change nor switch off. */
export interface ManagedHooks {
  readonly path: string;
  readonly file: HooksFile;
}

/** A file with lists of hooks under `hooks`, by event. */
interface HooksFile {
  /** TOML, YAML, a text of ours alone, or what the agent's reader takes besides plain JSON. */
  readonly syntax: FileSyntax;
  /** Our entries. */
  entries(options: EntryOptions): HookLists;
  /** Set for a file that is ours alone: its content besides `hooks`, such as `{ version: 1 }`. */
  readonly own?: Json;
  /** What must be set besides `hooks`, so that no other hook or setting overrules ours. */
  readonly settings?: readonly NeededSetting[];
}

/** Entries by event, in the agent's format. */
type HookLists = { readonly [event: string]: readonly unknown[] };

/** Entries of agents that group their hooks by a matcher. Our groups have no matcher: each gets every event. */
export type GroupedHooks = { readonly [event: string]: readonly [{ readonly hooks: readonly [GroupedHook] }] };
export type GroupedHook = { readonly type: "command" | "http"; readonly timeout: number; readonly [key: string]: unknown };

/** How the hooks of an agent reach the hub. */
export interface EntryOptions {
  /** The command line for one of the agent's events. */
  readonly command: (event: string) => string;
  /** Used instead of the command if the agent can post to the hub itself. */
  readonly http?: {
    readonly url: (event: string) => string;
    readonly headers: { readonly [name: string]: string };
    /** Environment variables that the headers may name as `$NAME`. */
    readonly allowedEnvVars?: readonly string[];
  };
  /** In seconds; an agent that counts in another unit converts it. */
  readonly timeoutSeconds: (event: string) => number;
  /** Whether a hook that fails blocks, where the agent has a switch for that. */
  readonly strict?: boolean;
  /** The text of the plugin, for an agent that runs one. */
  readonly plugin?: string;
}

interface CautionSetting {
  readonly target: AttachTarget;
  readonly env: NodeJS.ProcessEnv;
  /** The folder that a session would start in. */
  readonly cwd: string;
  readonly path: string;
  /** The content of the file at `path`. Undefined if it cannot be read. */
  readonly settings: unknown;
  /** The arguments of a run that is about to start. */
  readonly args?: readonly string[];
}

/** The agent's event of that name, in either spelling. */
export function findNative(
  { events, nameOf = (name) => name }: Pick<AgentDialect, "events" | "nameOf">,
  native: string,
): NativeEvent | undefined {
  const name = nameOf(native);
  return name !== undefined && Object.hasOwn(events, name) ? events[name] : undefined;
}

/** Whether the agent supports this effect in an answer to its event. */
export function canDo(dialect: AgentDialect, native: string, power: AgentPower): boolean {
  return findNative(dialect, native)?.can.includes(power) ?? false;
}
