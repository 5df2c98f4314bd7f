import { join } from "node:path";
import { replacePrivately } from "@hookline/core/internal/machine";
import { checkPrivate } from "../install/agent-file.js";
import { applyEdit } from "../install/apply-edit.js";
import { type EditPlan, planEdit, type WantedFile } from "../install/plan-edit.js";
import type { OurHooks } from "../install/remove-hooks.js";
import type { AgentDefinition, InstallTarget } from "../shared/definition.js";
import { type ClientScript, clientScript, type EntryWay, entryOptions, type ScriptOptions } from "./client-script.js";

export interface AttachOptions extends ScriptOptions {
  readonly target: InstallTarget;
  readonly cwd: string;
  /** Lets the agent post by itself: where to, and with which key. Its file is then its owner's alone. */
  readonly http?: { readonly url: string; readonly token: string };
}

export interface AttachPlan {
  readonly edit: EditPlan;
  readonly client: ClientScript;
  readonly folder: string;
  readonly transport: "http" | "client";
}

/** What attaching would write, reading only. Throws `HL_AGENT_FILE` for a file to keep out of. */
export function planAttach(options: AttachOptions): AttachPlan {
  const { agent, target, isStrict, env, cwd, folder, http } = options;
  const isPrivate = http !== undefined;
  const wanted = wantedFile(agent, { folder, isStrict, ...(http !== undefined && { http }) });
  const place = { agent: agent.id, scope: target, path: agent.install.settingsPath(target, env, cwd) };
  const edit = planEdit(folder, place, { ...wanted, isPrivate });
  if (isPrivate) checkPrivate(edit.file);
  return { edit, client: clientScript(options), folder, transport: http === undefined ? "client" : "http" };
}

/** First the client, then the entries that name it. */
export function applyAttach({ edit, client, folder }: AttachPlan): void {
  replacePrivately(folder, client.name, client.text);
  applyEdit(folder, edit);
}

/** What is to stand in the agent's file. */
export function wantedFile(agent: AgentDefinition, way: Omit<EntryWay, "agent">): WantedFile {
  const { entries, own } = agent.install.file;
  return { entries: entries(entryOptions({ agent, ...way })), ...(own !== undefined && { own }), ...oursOf(agent, way.folder) };
}

/** How our entries are known, whichever version wrote them. */
export function oursOf({ id, install: { file } }: AgentDefinition, folder: string): OurHooks {
  return { marks: [join(folder, `${id}.sh`), join(folder, `${id}-strict.sh`), `/api/agents/${id}/`], syntax: file.syntax };
}
