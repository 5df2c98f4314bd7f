import type { MatchObject } from "@hookline/core";
import { compileToolScope } from "@hookline/core/internal";
import { payloadFor } from "./example-event.js";
import { ruleRegex } from "./regex/rule-regex.js";
import type { RuleExample } from "./rule.js";

/** An example, and what it is an example for. */
export interface Wanted {
  /** The event, in the catalogue's spelling. */
  readonly event: string;
  readonly example: RuleExample;
  readonly tool?: string | readonly string[] | undefined;
  readonly match?: string | MatchObject | undefined;
  /** The folder that it must come from. */
  readonly cwd?: string | undefined;
}

/** What arrives when an example is sent, or why it cannot be sent. */
export type Sent = { readonly payload: object } | { readonly missing: string };

/** A source of calls: an attached agent with its own tools and names. */
export interface Sender {
  readonly id: string;
  /** Undefined for an example whose form only its author can know. */
  send(wanted: Wanted): Sent | undefined;
}

/** The senders of examples. */
export interface Senders {
  /** The agents that are attached. */
  readonly agents: readonly Sender[];
  /** Names of tools that processes have called, for tools that no agent has. */
  readonly seen?: readonly string[];
}

/** An example as it arrives. */
interface Arrival {
  /** The agent that sends it in this form. Missing for an example that is used as written. */
  readonly agent?: string;
  readonly payload: object;
}

/** An agent that cannot send something, and why. */
export interface Missing {
  readonly agent: string;
  readonly reason: string;
}

/** How an example arrives: as each agent sends it, or as written if none can. */
export interface Arrivals {
  readonly arrivals: readonly Arrival[];
  readonly missing: readonly Missing[];
  /** Agents are attached, but neither an agent nor a process has its tool. */
  readonly isUnreachable: boolean;
}

export function sendExample(wanted: Wanted, { agents, seen = [] }: Senders): Arrivals {
  const arrivals: Arrival[] = [];
  const missing: Missing[] = [];
  for (const { id, send } of agents) {
    const sent = send(wanted);
    if (sent === undefined) continue;
    if ("payload" in sent) arrivals.push({ agent: id, payload: sent.payload });
    else missing.push({ agent: id, reason: sent.missing });
  }
  if (arrivals.length > 0) return { arrivals, missing, isUnreachable: false };
  const called = seenCall(wanted, seen);
  const payload = called ?? payloadFor(wanted.event, wanted.example, wanted.tool);
  return { arrivals: [{ payload }], missing, isUnreachable: agents.length > 0 && missing.length === agents.length && called === undefined };
}

/** The example as a call of a tool that a process has called before. */
function seenCall({ event, example, tool, match }: Wanted, seen: readonly string[]): object | undefined {
  const given = typeof example === "string" ? undefined : (example.tool as { readonly name?: unknown } | undefined)?.name;
  if (typeof example !== "string" && typeof given !== "string") return undefined;
  const isFor = typeof given === "string" ? sameAs(given) : compileToolScope({ tool, match }, ruleRegex);
  const name = seen.find((one) => isFor({ name: one }));
  return name === undefined ? undefined : payloadFor(event, example, name);
}

function sameAs(given: string): (tool: { readonly name: string }) => boolean {
  return ({ name }) => name.toLowerCase() === given.toLowerCase();
}
