import { join } from "node:path";
import { quoted } from "@hookline/core/internal/text";
import { checkPrivate } from "../install/agent-file.js";
import { applyEdit } from "../install/apply-edit.js";
import { hashOf } from "../install/installed.js";
import { type EditPlan, planEdit, type WantedFile } from "../install/plan-edit.js";
import type { OurHooks } from "../install/remove-hooks.js";
import type { AgentDefinition, InstallTarget } from "../shared/definition.js";
import {
  type ClientScript,
  clientScript,
  clientStem,
  type EntryWay,
  entryOptions,
  putClient,
  type ScriptOptions,
} from "./client-script.js";

export interface AttachOptions extends ScriptOptions {
  readonly target: InstallTarget;
  readonly cwd: string;
  /** Lets the agent post to the hub itself: the address and the key. Only the owner can then read the agent's file. */
  readonly http?: { readonly url: string; readonly token: string };
}

export interface AttachPlan {
  readonly edit: EditPlan;
  readonly client: ClientScript;
  readonly folder: string;
  readonly transport: "http" | "client";
}

/** Plans what attaching would write, without writing. Throws `HL_AGENT_FILE` for a file that must not be edited. */
export function planAttach(options: AttachOptions): AttachPlan {
  const { agent, target, isStrict, env, cwd, folder, http } = options;
  const isPrivate = http !== undefined;
  const client = clientScript(options);
  const wanted = wantedFile(agent, folder, { isStrict, client, ...(http !== undefined && { http }) });
  const place = { agent: agent.id, scope: target, path: agent.install.settingsPath(target, env, cwd) };
  const edit = planEdit(folder, place, { ...wanted, isPrivate });
  if (isPrivate) checkPrivate(edit.file);
  const record = edit.record && { ...edit.record, client: { name: client.name, hash: hashOf(client.text) } };
  return {
    edit: { ...edit, ...(record !== undefined && { record }) },
    client,
    folder,
    transport: http === undefined ? "client" : "http",
  };
}

/** The client comes first, because the entries name it. */
export function applyAttach({ edit, client, folder }: AttachPlan): void {
  putClient(folder, client);
  applyEdit(folder, edit);
}

/** What to write into the agent's file. */
export function wantedFile(agent: AgentDefinition, folder: string, way: Omit<EntryWay, "agent">): WantedFile {
  const { entries, own } = agent.install.file;
  return { entries: entries(entryOptions({ agent, ...way })), ...(own !== undefined && { own }), ...oursOf(agent, folder) };
}

/** How our entries are recognized, whichever version wrote them. */
export function oursOf({ id, install: { file } }: AgentDefinition, folder: string): OurHooks {
  const clients = [false, true].map((isStrict) => join(folder, clientStem(id, isStrict)));
  // A path with a quote in it is written differently in a command.
  return {
    marks: [...new Set([...clients, ...clients.map((path) => quoted(path).slice(1, -1))]), `/api/agents/${id}/`],
    syntax: file.syntax,
  };
}
