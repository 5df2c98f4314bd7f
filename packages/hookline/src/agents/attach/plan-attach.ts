import { join } from "node:path";
import { HookError } from "@hookline/core";
import { quoted } from "@hookline/core/internal/text";
import { checkPrivate } from "../install/agent-file.js";
import { applyEdit } from "../install/apply-edit.js";
import { hashOf } from "../install/installed.js";
import { type EditPlan, type EditTarget, planEdit, type WantedFile } from "../install/plan-edit.js";
import type { OurHooks } from "../install/remove-hooks.js";
import { SCRIPT } from "../install/script-file.js";
import type { AgentDefinition, AttachTarget, Environment, ManagedHooks } from "../shared/definition.js";
import { applyLock, type LockPlan, planLock } from "./apply-lock.js";
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
  readonly target: AttachTarget;
  readonly cwd: string;
  /** Lets the agent post to the hub itself: the address and the key. Only the owner can then read the agent's file. */
  readonly http?: { readonly url: string; readonly token: string };
}

export interface AttachPlan {
  readonly edit: EditPlan;
  /** For an agent that has a file for each event: the others. */
  readonly parts: readonly EditPlan[];
  readonly client: ClientScript;
  readonly folder: string;
  readonly transport: "http" | "client";
  /** For an agent that would otherwise work without its plugin. */
  readonly lock?: LockPlan;
}

/** Plans what attaching would write, without writing. Throws `HL_AGENT_FILE` for a file that must not be edited. */
export function planAttach(options: AttachOptions): AttachPlan {
  const { agent, target, isStrict, env, cwd, folder, http } = options;
  const isPrivate = http !== undefined;
  const client = clientScript(options);
  const wanted = wantedFile(agent, folder, { isStrict, client, ...(http !== undefined && { http }) }, target);
  const place = { agent: agent.id, scope: target, path: attachPath(agent, target, env, cwd) };
  const edit = planEdit(folder, place, { ...wanted, isPrivate });
  if (isPrivate) checkPrivate(edit.file);
  const record = edit.record && { ...edit.record, client: { name: client.name, hash: hashOf(client.text) } };
  const lock = planLock(agent, edit.target.path, isStrict);
  return {
    edit: { ...edit, ...(record !== undefined && { record }) },
    parts: planParts(options, client, edit.target),
    client,
    folder,
    transport: http === undefined ? "client" : "http",
    ...(lock !== undefined && { lock }),
  };
}

/** The client comes first, because the entries name it. The lock comes last, because only the plugin opens it. */
export function applyAttach({ edit, parts, client, folder, lock }: AttachPlan): void {
  putClient(folder, client);
  for (const one of [edit, ...parts]) applyEdit(folder, one);
  applyLock(lock);
}

function planParts({ agent, isStrict, folder }: AttachOptions, client: ClientScript, target: EditTarget): EditPlan[] {
  const { parts } = agent.install;
  const options = entryOptions({ agent, isStrict, client });
  return (parts?.events ?? []).map((event) => {
    const place = { ...target, path: parts?.path(target.path, event) ?? "" };
    const entries = { [SCRIPT]: [parts?.text(event, options) ?? ""] };
    const edit = planEdit(folder, place, { entries, own: {}, ...oursOf(agent, folder) });
    const record = edit.record && { ...edit.record, part: event, client: { name: client.name, hash: hashOf(client.text) } };
    return { ...edit, ...(record !== undefined && { record }) };
  });
}

/** The files of an agent that has one for each event, besides the one at this path. */
export function partPaths({ install: { parts } }: AgentDefinition, main: string): readonly string[] {
  return (parts?.events ?? []).map((event) => parts?.path(main, event) ?? "");
}

/** What to write into the agent's file. */
export function wantedFile(
  agent: AgentDefinition,
  folder: string,
  way: Omit<EntryWay, "agent">,
  target: AttachTarget = "user",
): WantedFile {
  const { entries, own, settings } = hooksFile(agent, target);
  return {
    entries: entries(entryOptions({ agent, ...way })),
    ...(own !== undefined && { own }),
    ...(settings !== undefined && { settings }),
    ...oursOf(agent, folder, target),
  };
}

/** The file with the agent's hooks for a target. */
function attachPath(agent: AgentDefinition, target: AttachTarget, env: Environment, cwd: string): string {
  return target === "managed" ? managedHooks(agent).path : agent.install.settingsPath(target, env, cwd);
}

function hooksFile(agent: AgentDefinition, scope: string): AgentDefinition["install"]["file"] {
  return scope === "managed" ? managedHooks(agent).file : agent.install.file;
}

/** Throws `HL_BAD_OPTION` for an agent whose managed hooks do not hold, or were not tried. */
export function managedHooks({ title, install: { managed } }: AgentDefinition): ManagedHooks {
  if (managed !== undefined && "path" in managed) return managed;
  const why = managed?.refused ?? "whether its hooks hold there was not tried";
  throw new HookError("HL_BAD_OPTION", `${title} cannot be attached with --managed: ${why}.`, {
    fix: "Keep the users of this machine from running it: none of its settings holds against them.",
  });
}

/** How our entries are recognized, whichever version wrote them. */
export function oursOf(agent: AgentDefinition, folder: string, scope = "user"): OurHooks {
  const { id } = agent;
  const clients = [false, true].map((isStrict) => join(folder, clientStem(id, isStrict)));
  // A path with a quote in it is written differently in a command.
  return {
    marks: [...new Set([...clients, ...clients.map((path) => quoted(path).slice(1, -1))]), `/api/agents/${id}/`],
    syntax: hooksFile(agent, scope).syntax,
  };
}
