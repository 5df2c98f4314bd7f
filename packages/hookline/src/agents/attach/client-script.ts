import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { quoted } from "@hookline/core/internal/text";
import { denialsOf, withheldOf } from "../client/denials.js";
import { outputFiller } from "../client/fill-output.js";
import { type ClientOptions, writeClient } from "../client/write-client.js";
import { type AgentDefinition, canDo, type EntryOptions } from "../shared/definition.js";
import { findProgram } from "./find-program.js";

/** A person may have to answer. The client disconnects shortly before the agent stops waiting. */
const GATE_SECONDS = 600;
const OBSERVE_SECONDS = 10;
/** Transforms may change the output after a call, and the agent waits for them. */
const OUTPUT_SECONDS = 65;
const nodeClient = fileURLToPath(new URL("../client/node-client.js", import.meta.url));
const withholder = fileURLToPath(new URL("../client/withhold-output.js", import.meta.url));

/** The script that an agent's hooks run. */
export interface ClientScript {
  readonly name: string;
  readonly text: string;
}

export interface ScriptOptions {
  readonly agent: AgentDefinition;
  readonly isStrict: boolean;
  readonly env: NodeJS.ProcessEnv;
  /** The full path of `attach` in the state folder. */
  readonly folder: string;
  /** The hub's `http.sock`. */
  readonly socket: string;
}

export function clientScript({ agent, isStrict, env, folder, socket }: ScriptOptions): ClientScript {
  const curl = findProgram({ commands: ["curl"] }, env)?.path;
  const text = writeClient({
    agent: agent.id,
    folder,
    socket,
    isStrict,
    denials: denialsOf(agent),
    withheld: withheldOf(agent),
    ...withholderFor(agent),
    agentTimeoutMs: GATE_SECONDS * 1_000,
    node: process.execPath,
    nodeClient,
    ...(curl !== undefined && { curl }),
  });
  return { name: clientName(agent, isStrict), text };
}

function withholderFor(agent: AgentDefinition): Pick<ClientOptions, "withholder"> {
  const native = Object.keys(agent.events).find((name) => canDo(agent, name, "replace"));
  if (agent.outputShapes === undefined || native === undefined) return {};
  return { withholder: { path: withholder, filler: outputFiller(agent, native) } };
}

/** Two scripts, because a project can be strict while the user's other sessions are not. */
export function clientName({ id }: AgentDefinition, isStrict: boolean): string {
  return isStrict ? `${id}-strict.sh` : `${id}.sh`;
}

export interface EntryWay {
  readonly agent: AgentDefinition;
  readonly isStrict: boolean;
  readonly folder: string;
  /** For an agent that posts to the hub itself. */
  readonly http?: { readonly url: string; readonly token: string };
}

/** How an agent's entries reach the hub. */
export function entryOptions({ agent, isStrict, folder, http }: EntryWay): EntryOptions {
  return {
    command: (event) => `sh ${quoted(join(folder, clientName(agent, isStrict)))} ${event}`,
    timeoutSeconds: (event) => secondsFor(agent, event),
    strict: isStrict,
    ...(http !== undefined && {
      http: {
        url: (event) => `${http.url}/api/agents/${agent.id}/${event}?plain=1`,
        headers: { Authorization: `Bearer ${http.token}` },
      },
    }),
  };
}

function secondsFor(agent: AgentDefinition, native: string): number {
  if (canDo(agent, native, "block") || canDo(agent, native, "again")) return GATE_SECONDS;
  return canDo(agent, native, "replace") ? OUTPUT_SECONDS : OBSERVE_SECONDS;
}
