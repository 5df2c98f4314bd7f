import type { Decision } from "@hookline/core";
import type { JsonSyntax } from "../install/json-document.js";
import type { Json } from "./native-payload.js";
import type { RunPlan, RunRequest } from "./run-plan.js";
import type { ToolTable } from "./tool-table.js";

/**
 * Everything that Hookline knows about one agent. An agent is a folder beside this one with one of these in its `definition.ts`, and a line in
 * the list of `agents.ts`. No other code names an agent.
 */
export interface AgentDefinition extends AgentDialect {
  readonly program: AgentProgram;
  readonly install: AgentInstall;
  /** Prepares `hookline run`. Missing where the agent takes hooks from the user's own files only. */
  planRun?(request: RunRequest): Promise<RunPlan>;
}

/** How the agent's program is found, and which version the definition was measured on. */
export interface AgentProgram {
  /** The names that its command may have. */
  readonly commands: readonly string[];
  /** The npm package that says its version. Missing where it is installed in another way. */
  readonly package?: string;
  /** The version that was tried. Missing where the agent is known from its documentation alone. */
  readonly tried?: string;
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
  /** A canonical name. An event that the definition does not list gets a name of the agent's own, such as `codex:something_new`. */
  readonly event: string;
  /** With session, agent, tool, cwd and what else is known, and the agent's own words under `raw`. */
  readonly payload: { readonly [key: string]: unknown };
  /** The same for two deliveries of one call; missing where each delivery is an event of its own. */
  readonly key?: string;
}

/** What the hook's process leaves behind, to the byte. */
export interface HookReply {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** The parts of a decision that an agent can be told. `ask` is settled before: only an agent that can ask is told of it. */
export interface AgentDecision extends Pick<Decision, "verdict" | "reason" | "payload" | "modified" | "endLoop" | "injections" | "again"> {
  /** The model gets this in place of the tool's output. Missing where the output stays as it is. */
  readonly output?: { readonly value: unknown };
}

/** The decision that says nothing: the agent does what it would have done without a hook. */
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
  /** The input of one of its tools in its own words, where other field names are not enough. */
  input?(tool: string, common: Json): Json | undefined;
  /** What it calls a tool of an MCP server. */
  mcpTool(server: string, tool: string): Omit<NativeTool, "input">;
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
  /** For an agent that takes another output only in the shape of that tool's. */
  readonly outputShapes?: OutputShapes;
  /** Calls that it does not report to its hooks, by the event that they would be: the end of a sentence that begins with its title. */
  readonly unreported?: { readonly [event: string]: string };
  /** Set if it also runs hooks that were written for another agent, and wants answers in its own words all the same. */
  readonly runsHooksOf?: {
    /** The other agent's id. */
    readonly agent: string;
    /** Whether this agent sent a payload that arrived at the other's hook. */
    isSender(payload: unknown): boolean;
  };
  /** The name that `events` has it under, for an agent that spells names in two ways. */
  nameOf?(native: string): string | undefined;
  /** Never throws. A payload that it cannot read becomes an event with the fields that it could read. */
  translate(native: string, payload: unknown): Translated;
  /** For verdict `pass` without anything to tell, nothing at all: it must not skip the agent's own prompts. */
  reply(native: string, decision: AgentDecision, asked: Translated): HookReply;
}

interface OutputShapes {
  /** Tools for which one shape always fits. */
  readonly fixedTools: readonly string[];
  /** Fields of an output that say of what kind something is: their words stay. */
  readonly kindFields: readonly string[];
}

/** `user`: every session of the user. `project`: the sessions in one folder. */
export type InstallTarget = "user" | "project";

export type Environment = { readonly [name: string]: string | undefined };

/** Where the agent reads its hooks, and what is written there. */
export interface AgentInstall {
  readonly targets: readonly InstallTarget[];
  settingsPath(target: InstallTarget, env: Environment, cwd: string): string;
  readonly file: JsonHooks;
  /** Whether the agent can post to the hub by itself. */
  readonly canPost?: true;
  /** It runs the hooks of both targets, and its payload does not say that they are about one call. */
  readonly deliversTwice?: true;
  /** What keeps its hooks from running, or has to be done before they run: a sentence each. */
  cautions?(setting: CautionSetting): readonly string[];
}

/** A JSON file with lists of hooks under `hooks`, by event. */
interface JsonHooks {
  /** What the agent's reader takes besides plain JSON. */
  readonly syntax: JsonSyntax;
  /** Our entries. */
  entries(options: EntryOptions): HookLists;
  /** Set for a file that is ours alone: what it says besides `hooks`, such as `{ version: 1 }`. */
  readonly own?: Json;
}

/** Entries by event, as the agent reads them. */
type HookLists = { readonly [event: string]: readonly unknown[] };

/** Entries of agents that group their hooks by a matcher. Our groups have no matcher: each gets every event. */
export type GroupedHooks = { readonly [event: string]: readonly [{ readonly hooks: readonly [GroupedHook] }] };
export type GroupedHook = { readonly type: "command" | "http"; readonly timeout: number; readonly [key: string]: unknown };

/** How the hooks of an agent reach the hub. */
export interface EntryOptions {
  /** The command line for one of the agent's events. */
  readonly command: (event: string) => string;
  /** Instead of the command, where the agent can post by itself. */
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
}

interface CautionSetting {
  readonly target: InstallTarget;
  readonly env: NodeJS.ProcessEnv;
  readonly path: string;
  /** What the file at `path` says; undefined where it cannot be read. */
  readonly settings: unknown;
  /** The arguments of a run that is about to start. */
  readonly args?: readonly string[];
}

/** The agent's event of that name, in either spelling. */
export function findNative({ events, nameOf = (name) => name }: AgentDialect, native: string): NativeEvent | undefined {
  const name = nameOf(native);
  return name !== undefined && Object.hasOwn(events, name) ? events[name] : undefined;
}

/** Whether the agent can do that with an answer to its event. */
export function canDo(dialect: AgentDialect, native: string, power: AgentPower): boolean {
  return findNative(dialect, native)?.can.includes(power) ?? false;
}
