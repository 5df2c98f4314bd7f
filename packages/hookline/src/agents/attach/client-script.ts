import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { quote } from "../../config/shell-quote.js";
import type { EntryOptions } from "../claude-code/install.js";
import { denialsOf, withheldOf } from "../client/denials.js";
import { outputFiller } from "../client/fill-output.js";
import { type ClientOptions, writeClient } from "../client/write-client.js";
import { findProgram } from "./find-program.js";
import type { AgentProgram } from "./programs.js";

/** A person may have to answer; the client hangs up a little before the agent does. */
const GATE_SECONDS = 600;
const OBSERVE_SECONDS = 10;
/** After a call transforms may have its output; the agent waits for them. */
const OUTPUT_SECONDS = 65;
const nodeClient = fileURLToPath(new URL("../client/node-client.js", import.meta.url));
const withholder = fileURLToPath(new URL("../client/withhold-output.js", import.meta.url));

/** The small script that an agent's hooks run. */
export interface ClientScript {
  readonly name: string;
  readonly text: string;
}

export interface ScriptOptions {
  readonly program: AgentProgram;
  readonly isStrict: boolean;
  readonly env: NodeJS.ProcessEnv;
  /** `attach` in the state folder, in full. */
  readonly folder: string;
  /** The hub's `http.sock`. */
  readonly socket: string;
}

export function clientScript({ program, isStrict, env, folder, socket }: ScriptOptions): ClientScript {
  const curl = findProgram(["curl"], "", env)?.path;
  const text = writeClient({
    agent: program.dialect.id,
    folder,
    socket,
    isStrict,
    denials: denialsOf(program.dialect),
    withheld: withheldOf(program.dialect),
    ...withholderFor(program),
    agentTimeoutMs: GATE_SECONDS * 1_000,
    node: process.execPath,
    nodeClient,
    ...(curl !== undefined && { curl }),
  });
  return { name: clientName(program, isStrict), text };
}

function withholderFor({ dialect }: AgentProgram): Pick<ClientOptions, "withholder"> {
  const native = Object.keys(dialect.events).find((name) => dialect.events[name]?.can.includes("replace"));
  if (dialect.fixedOutputs === undefined || native === undefined) return {};
  return { withholder: { path: withholder, filler: outputFiller(dialect, native) } };
}

/** Two, so that a project can be strict where the rest is not. */
export function clientName({ dialect: { id } }: AgentProgram, isStrict: boolean): string {
  return isStrict ? `${id}-strict.sh` : `${id}.sh`;
}

interface Way {
  readonly program: AgentProgram;
  readonly isStrict: boolean;
  readonly folder: string;
  /** For an agent that posts by itself. */
  readonly http?: { readonly url: string; readonly token: string };
}

/** How an agent's entries reach the hub. */
export function entryOptions({ program, isStrict, folder, http }: Way): EntryOptions {
  return {
    command: (event) => `sh ${quote(join(folder, clientName(program, isStrict)))} ${event}`,
    timeoutSeconds: (event) => (canBlock(program, event) ? GATE_SECONDS : canReplace(program, event) ? OUTPUT_SECONDS : OBSERVE_SECONDS),
    strict: isStrict,
    ...(http !== undefined && {
      http: {
        url: (event) => `${http.url}/api/agents/${program.dialect.id}/${event}?plain=1`,
        headers: { Authorization: `Bearer ${http.token}` },
      },
    }),
  };
}

function canBlock({ dialect }: AgentProgram, native: string): boolean {
  return dialect.events[native]?.can.some((power) => power === "block" || power === "again") ?? false;
}

function canReplace({ dialect }: AgentProgram, native: string): boolean {
  return dialect.events[native]?.can.includes("replace") ?? false;
}
