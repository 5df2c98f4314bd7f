import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import type { EnvelopeSource } from "@hookline/core/sinks";
import { rowOf } from "../auth/operator.js";
import { peerOf } from "../auth/peer.js";
import { bootId, canSeeProcesses, type ProcessId, readProcess } from "../auth/processes.js";
import type { EventOrigin } from "../protocol.js";

/**
 * By which way and from which process events reach the hub. `source` in an event is what a process says of itself; this is what the hub and
 * the operating system know. Stored once, beside the events.
 */
export interface Origin {
  /** Tells it from all others. */
  readonly key: string;
  /** The instance that a process connected as. */
  readonly instance?: string;
  /** The user and the process, as a text to compare. Missing as long as the process is not known. */
  readonly owner?: string;
  readonly description: EventOrigin;
}

export function openOrigin(way: EventOrigin["way"], source?: Pick<EnvelopeSource, "app" | "instance">): Origin {
  const said = source && { app: source.app, instance: source.instance };
  const description = { way, since: new Date().toISOString(), ...said };
  return { key: randomBytes(12).toString("base64url"), ...(said && { instance: said.instance }), description };
}

/** The same with the process at the other end of a connection. */
export async function identified(origin: Origin, socket: Socket): Promise<Origin> {
  if (!canSeeProcesses) return unknown(origin, "on this system, the hub cannot see who is connected");
  const peer = await peerOf(socket);
  switch (peer.kind) {
    case "local":
      return ofProcess(origin, peer.processes[0] as number, peer.user);
    case "foreign":
      return { ...unknown(origin, "it belongs to another user"), owner: `${peer.user}` };
    case "remote":
      return unknown(origin, `it is on another machine, ${peer.address}`);
    case "unknown": {
      const { pid, user } = peer;
      const known = unknown(origin, peer.reason);
      if (pid === undefined || user === undefined) return known;
      return { ...known, owner: ownerText(user, pid, "exited"), description: { ...known.description, process: { pid, uid: user } } };
    }
  }
}

function ofProcess(origin: Origin, pid: number, user: number | undefined): Origin {
  const row = rowOf(pid);
  const uid = user ?? row.uid;
  const process = { ...row, ...(uid !== undefined && { uid }) };
  return { ...origin, owner: ownerText(uid, pid, readProcess(pid)?.startedAt), description: { ...origin.description, process } };
}

function ownerText(...parts: readonly (number | string | undefined)[]): string {
  return [...parts, bootId()].join(" ");
}

/** The number of the user in `Origin.owner`. */
export function userIn(owner: string): string {
  return owner.split(" ", 1)[0] ?? "";
}

function unknown(origin: Origin, why: string): Origin {
  return { ...origin, description: { ...origin.description, unknown: why } };
}

/** For HTTP, where each request may be a connection of its own: more look-ups than this in a second would hold up the hub. */
const MAX_LOOKUPS = 20;

export interface RequestOrigins {
  /** The origin of what comes over a connection. Its process becomes known a little later. */
  of(socket: Socket): Origin;
}

export function createRequestOrigins(onIdentified: (origin: Origin) => void): RequestOrigins {
  const known = new WeakMap<Socket, Origin>();
  let [second, lookUps] = [0, 0];

  function mayLookUp(): boolean {
    const now = Math.floor(performance.now() / 1_000);
    if (now !== second) [second, lookUps] = [now, 0];
    return ++lookUps <= MAX_LOOKUPS;
  }

  return {
    of(socket) {
      const found = known.get(socket);
      if (found !== undefined) return found;
      const origin = openOrigin("request");
      if (!mayLookUp()) {
        const busy = unknown(origin, "too many requests came at once to look it up");
        known.set(socket, busy);
        return busy;
      }
      known.set(socket, origin);
      void identified(origin, socket).then((full) => {
        known.set(socket, full);
        onIdentified(full);
      });
      return origin;
    },
  };
}

const MAX_AGENTS = 1_000;

/** The origins of attached agents: one for each process of an agent. */
export function createAgentOrigins(): (agent: string, process: ProcessId | undefined) => Origin {
  const known = new Map<string, Origin>();
  return (agent, process) => {
    const key = `${agent} ${process?.pid} ${process?.startedAt}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const base = openOrigin("agent");
    const origin = { ...base, description: { ...base.description, app: agent } };
    const full = process === undefined ? unknown(origin, "the hub could not see it") : ofProcess(origin, process.pid, undefined);
    if (known.size >= MAX_AGENTS) known.clear();
    known.set(key, full);
    return full;
  };
}
