import { join } from "node:path";
import { replacePrivately } from "@hookline/core/internal/machine";
import type { Scope } from "../claude-code/install.js";
import { checkPrivate } from "../install/agent-file.js";
import { applyEdit } from "../install/apply-edit.js";
import { type EditPlan, planEdit } from "../install/plan-edit.js";
import type { OurHooks } from "../install/remove-hooks.js";
import { type ClientScript, clientScript, entryOptions, type ScriptOptions } from "./client-script.js";
import type { AgentProgram } from "./programs.js";

export interface AttachOptions extends ScriptOptions {
  readonly scope: Scope;
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
  const { program, scope, isStrict, env, cwd, folder, http } = options;
  const isPrivate = http !== undefined;
  const wanted = program.wanted(entryOptions({ program, isStrict, folder, ...(http !== undefined && { http }) }));
  const target = { agent: program.dialect.id, scope, path: program.settingsPath(scope, env, cwd) };
  const edit = planEdit(folder, target, { ...wanted, marks: marksOf(program, folder), isPrivate });
  if (isPrivate) checkPrivate(edit.file);
  return { edit, client: clientScript(options), folder, transport: http === undefined ? "client" : "http" };
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

export function marksOf({ dialect: { id } }: AgentProgram, folder: string): string[] {
  return [join(folder, `${id}.sh`), join(folder, `${id}-strict.sh`), `/api/agents/${id}/`];
}
