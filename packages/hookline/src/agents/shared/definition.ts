import type { Decision } from "@hookline/core";
import type { Json } from "./native-payload.js";
import type { ToolTable } from "./tool-table.js";

export type AgentId = "claude-code" | "codex" | "gemini" | "copilot";

/**
 * What an agent can make of an answer to one of its events. `ask`: the call waits until a person has answered the hub. `inject`: the model is
 * told something. `replace`: the model gets another output of the tool.
 */
export type AgentPower = "block" | "ask" | "allow" | "modify" | "inject" | "again" | "endLoop" | "replace";

/** One of an agent's events. */
export interface NativeEvent {
  /** The event it becomes. */
  readonly event: string;
  readonly can: readonly AgentPower[];
  /** Why nobody subscribes to it: its hook would take the place of what the agent does by itself. */
  readonly leftAlone?: string;
}

/** An agent's event in our words. */
export interface Translated {
  /** A canonical name; one of the agent's own, such as `codex:something_new`, for an event nobody knows. */
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

/** What was decided, as far as an agent can hear it. `ask` is settled before: no agent is told of it unless it can ask. */
export interface AgentDecision extends Pick<Decision, "verdict" | "reason" | "payload" | "modified" | "endLoop" | "injections" | "again"> {
  /** The model gets this in place of the tool's output. Missing where the output stays as it is. */
  readonly output?: { readonly value: unknown };
}

/** A call of a tool as an agent's hook is told of it: canaries and examples are sent so. */
export interface NativeTool {
  readonly name: string;
  readonly input: Json;
  /** What it is told besides, such as where a tool of an MCP server comes from. */
  readonly more?: Json;
}

/** Whose event a sample is. */
export interface SampleOrigin {
  readonly session: string;
  readonly cwd: string;
}

/** What an agent's hooks are told, with the fields that were captured from the program. */
export interface AgentSamples {
  /** One of its events about a call of a tool. */
  call(native: string, tool: NativeTool, origin: SampleOrigin): Json;
  /** One of its events about a prompt. */
  prompt(native: string, text: string, origin: SampleOrigin): Json;
  /** The input of one of its tools in its own words, where that is more than other names of fields. */
  input?(tool: string, common: Json): Json | undefined;
  /** What it calls a tool of an MCP server. */
  mcpTool(server: string, tool: string): Omit<NativeTool, "input">;
}

/** One agent's language: pure functions, its event in and its answer out. */
export interface AgentDialect {
  readonly id: AgentId;
  /** As people write it. */
  readonly title: string;
  /** Whether it can post to the hub by itself. */
  readonly canPost?: true;
  /** For an agent that takes another output only in the shape of that tool's: the tools for which one shape always does. */
  readonly fixedOutputs?: readonly string[];
  /** Where its hook is told of a tool's output: fields of the payload. */
  readonly outputFields: readonly string[];
  /** Every event that it has, by its own name. */
  readonly events: { readonly [native: string]: NativeEvent };
  /** Calls that it does not tell its hooks of, by the event that it would be: a part of a sentence, after its name. */
  readonly untold?: { readonly [event: string]: string };
  /** Every tool that it is known to have, by the name that its hooks are told; the shell first. */
  readonly tools: ToolTable;
  readonly samples: AgentSamples;
  /** The name that `events` has it under, for an agent that spells names in two ways. */
  nameOf?(native: string): string | undefined;
  /** Never throws: what cannot be understood becomes an event with what was understood. */
  translate(native: string, payload: unknown): Translated;
  /** For verdict `pass` without anything to tell, nothing at all: it must not skip the agent's own prompts. */
  reply(native: string, decision: AgentDecision, asked: Translated): HookReply;
}

/** The agent's event of that name, in whichever spelling. */
export function nativeEvent({ events, nameOf = (name) => name }: AgentDialect, native: string): NativeEvent | undefined {
  const name = nameOf(native);
  return name !== undefined && Object.hasOwn(events, name) ? events[name] : undefined;
}
