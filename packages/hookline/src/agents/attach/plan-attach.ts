import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { replacePrivately } from "@hookline/core/discover";
import type { Scope } from "../claude-code/install.js";
import { denialsOf } from "../client/denials.js";
import { quote } from "../client/quote.js";
import { writeClient } from "../client/write-client.js";
import { applyEdit } from "../install/apply-edit.js";
import { type EditPlan, planEdit } from "../install/plan-edit.js";
import type { OurHooks } from "../install/remove-hooks.js";
import { findProgram } from "./find-program.js";
import type { AgentProgram } from "./programs.js";

/** A person may have to answer; the client hangs up a little before the agent does. */
const GATE_SECONDS = 600;
const OBSERVE_SECONDS = 10;
const nodeClient = fileURLToPath(new URL("../client/node-client.js", import.meta.url));

export interface AttachOptions {
  readonly program: AgentProgram;
  readonly scope: Scope;
  readonly isStrict: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** `attach` in the state folder, in full. */
  readonly folder: string;
  /** The hub's `http.sock`. */
  readonly socket: string;
  /** Where the agent may post to, and with which token. */
  readonly http?: { readonly url: string; readonly token: string };
}

export interface AttachPlan {
  readonly edit: EditPlan;
  readonly client: { readonly name: string; readonly text: string };
  readonly folder: string;
  readonly transport: "http" | "client";
}

/** What attaching would write, reading only. Throws `HL_AGENT_FILE` for a file to keep out of. */
export function planAttach(options: AttachOptions): AttachPlan {
  const { program, scope, isStrict, env, cwd, folder, http } = options;
  const name = clientName(program, isStrict);
  const byHttp = http !== undefined && !isStrict && program.canPost && scope === "user";
  const wanted = program.wanted({
    command: (event) => `sh ${quote(join(folder, name))} ${event}`,
    timeoutSeconds: (event) => (canBlock(program, event) ? GATE_SECONDS : OBSERVE_SECONDS),
    strict: isStrict,
    ...(byHttp && {
      http: {
        url: (event) => `${http.url}/api/agents/${program.dialect.id}/${event}?plain=1`,
        headers: { Authorization: `Bearer ${http.token}` },
      },
    }),
  });
  const target = { agent: program.dialect.id, scope, path: program.settingsPath(scope, env, cwd) };
  return {
    edit: planEdit(folder, target, { ...wanted, marks: marksOf(program, folder) }),
    client: { name, text: clientText(options) },
    folder,
    transport: byHttp ? "http" : "client",
  };
}

/** First the client, then the entries that name it. */
export function applyAttach({ edit, client, folder }: AttachPlan): void {
  replacePrivately(folder, client.name, client.text);
  applyEdit(folder, edit);
}

/** How our entries are known, whatever wrote them. */
export function oursOf(program: AgentProgram, folder: string): OurHooks {
  const { syntax } = program.wanted({ command: () => "", timeoutSeconds: () => 1 });
  return { marks: marksOf(program, folder), syntax };
}

function marksOf({ dialect: { id } }: AgentProgram, folder: string): string[] {
  return [join(folder, `${id}.sh`), join(folder, `${id}-strict.sh`), `/api/agents/${id}/`];
}

/** Two, so that a project can be strict where the rest is not. */
function clientName({ dialect: { id } }: AgentProgram, isStrict: boolean): string {
  return isStrict ? `${id}-strict.sh` : `${id}.sh`;
}

function clientText({ program, isStrict, env, folder, socket }: AttachOptions): string {
  const curl = findProgram(["curl"], "", env)?.path;
  return writeClient({
    agent: program.dialect.id,
    folder,
    socket,
    isStrict,
    denials: denialsOf(program.dialect),
    agentTimeoutMs: GATE_SECONDS * 1_000,
    node: process.execPath,
    nodeClient,
    ...(curl !== undefined && { curl }),
  });
}

function canBlock({ dialect }: AgentProgram, native: string): boolean {
  return dialect.events[native]?.can.some((power) => power === "block" || power === "again") ?? false;
}
