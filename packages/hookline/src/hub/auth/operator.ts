import type { Socket } from "node:net";
import type { Managed } from "@hookline/core/internal/machine";
import { findAgent } from "../../agents/agents.js";
import { hideSecrets } from "../approvals/always-allow.js";
import { Refused } from "../http/refused.js";
import type { ProcessRow } from "../protocol.js";
import type { AgentProcess, AgentProcesses } from "./agent-processes.js";
import { type Peer, peerOf } from "./peer.js";
import { canSeeProcesses, chainOf, commandOf, groupsOf, isMember, programOf, readProcess, timeOfTicks, userOf } from "./processes.js";

/** The process that may operate, as far as the operating system tells. */
export interface Operator {
  readonly process?: ProcessRow;
  readonly source?: OperatorSource;
  /** When the process started, in milliseconds since 1970: with its pid, that identifies it. */
  readonly startedAt?: number;
  /** Whether a terminal controls it. Missing if the hub cannot tell. */
  readonly hasTerminal?: boolean;
  /** The address of another machine. */
  readonly address?: string;
}

/** Where requests come from, as far as one sender cannot pass for another. */
export interface OperatorSource {
  readonly user: number;
  /** The session of the process: a terminal, for example. Missing for another user's process, which the hub may not look at. */
  readonly session?: number;
}

/** A request may not operate. */
export class NotOperator extends Refused {
  readonly process: ProcessRow | undefined;
  readonly agent: string | undefined;

  constructor(message: string, fix: string, { process, agent }: { readonly process?: ProcessRow | undefined; readonly agent?: string }) {
    super(403, "HL_NOT_OPERATOR", message, { fix });
    this.process = process;
    this.agent = agent;
  }
}

const OWN_TERMINAL = "Run it yourself, in a terminal that the agent did not start, or use the dashboard.";

interface OperatorRules {
  readonly agentProcesses: Pick<AgentProcesses, "startedBy">;
  /** Under it, root operates, and so does the group of operators with a factor. */
  readonly managed?: Managed | undefined;
  /** Whether operating needs a factor. */
  readonly protect: { readonly isOn: boolean };
}

/**
 * The process that is connected. Throws 403 for a process that the hub cannot identify, of a user who may not operate, or started by an
 * attached agent.
 */
export async function findOperator(socket: Socket, { agentProcesses: agents, managed, protect }: OperatorRules): Promise<Operator> {
  if (!canSeeProcesses) return {};
  const peer = await peerOf(socket);
  if (managed !== undefined) checkManagedOperator(peer, managed, protect);
  // Whether other machines may operate was checked with the scope.
  if (peer.kind === "remote") return { address: peer.address };
  if (peer.kind === "foreign" && managed !== undefined) return { source: { user: peer.user } };
  const [first = 0, ...others] = managed !== undefined && peer.kind === "local" ? peer.processes : pidsOf(peer);
  const row = rowOf(first);
  let hasTerminal = true;
  let startedAt: number | undefined;
  for (const pid of [first, ...others]) {
    const chain = chainOf(pid);
    if (chain === undefined) throw new NotOperator("The process that sent the request has exited.", OWN_TERMINAL, { process: row });
    const agent = agents.startedBy(chain);
    if (agent !== undefined) throw new NotOperator(startedByText(agent), OWN_TERMINAL, { process: rowOf(pid), agent: agent.agent });
    hasTerminal &&= chain[0]?.hasTerminal ?? false;
    startedAt ??= chain[0] && timeOfTicks(chain[0].startedAt);
  }
  const source = { user: row.uid ?? 0, session: readProcess(first)?.session ?? 0 };
  return { process: row, source, hasTerminal, ...(startedAt !== undefined && { startedAt }) };
}

/** Throws 403 for a proxy that an attached agent has started. The proxy may run as any user. */
export async function checkProxy(socket: Socket, { agentProcesses: agents }: Pick<OperatorRules, "agentProcesses">): Promise<void> {
  const peer = canSeeProcesses ? await peerOf(socket) : undefined;
  if (peer?.kind !== "local") return;
  for (const pid of peer.processes) {
    const agent = agents.startedBy(chainOf(pid) ?? []);
    if (agent !== undefined) throw new NotOperator(startedByText(agent), OWN_TERMINAL, { process: rowOf(pid), agent: agent.agent });
  }
}

const NO_FACTOR = "Operators other than root need a factor, and this hub has none.";

/** Throws unless it is root, or one of the operators while a factor is set. The hub asks for the factor itself with each request. */
function checkManagedOperator(peer: Peer, { operators }: Managed, { isOn }: OperatorRules["protect"]): void {
  if (peer.kind === "unknown" || ("user" in peer && peer.user === 0)) return;
  if (peer.kind !== "remote" && !isOperator(peer, operators))
    throw new NotOperator(
      `The request comes from the user with the number ${peer.user}, who is not an operator of the managed hub.`,
      `Use sudo, or let root add the user to the group with the number ${operators}.`,
      peer.kind === "local" ? { process: rowOf(peer.processes[0] ?? 0) } : {},
    );
  if (!isOn) throw new NotOperator(NO_FACTOR, "Let root set one: sudo hookline protect on", {});
}

function isOperator(peer: Extract<Peer, { readonly user: number }>, operators: number): boolean {
  if (peer.kind === "foreign") return isMember(peer.user, operators);
  return peer.processes.length > 0 && peer.processes.every((pid) => groupsOf(pid).includes(operators));
}

/** Throws unless it is a process of the hub's own user. */
function pidsOf(peer: Exclude<Peer, { readonly kind: "remote" }>): readonly number[] {
  if (peer.kind === "unknown")
    throw new NotOperator(`The hub cannot tell which process sent the request: ${peer.reason}.`, OWN_TERMINAL, {});
  if (peer.kind === "local" && peer.user === process.getuid?.()) return peer.processes;
  const found = peer.kind === "local" ? { process: rowOf(peer.processes[0] ?? 0) } : {};
  throw new NotOperator(
    `The request comes from the user with the number ${peer.user}, and not from the hub's own user.`,
    OWN_TERMINAL,
    found,
  );
}

/** Why a process that an agent has started may not operate. */
export function startedByText({ agent, pid }: AgentProcess): string {
  return `Only a person may do this: the command was started by ${findAgent(agent)?.title ?? agent} (process ${pid}), which Hookline guards.`;
}

/** What the operating system says about a process, without what looks like a secret. */
export function rowOf(pid: number): ProcessRow {
  const [program, uid, command] = [programOf(pid), userOf(pid), commandOf(pid)];
  return {
    pid,
    ...(program !== undefined && { program }),
    ...(command !== "" && { command: String(hideSecrets(command)) }),
    ...(uid !== undefined && { uid }),
  };
}
