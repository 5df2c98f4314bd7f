import { dirname, relative } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { readRegularFile } from "../../machine/regular-file.js";
import { agents, findAgent } from "../agents.js";
import { hashOf, type Installed, readInstalled } from "../install/installed.js";
import { isScript, lineFile } from "../install/line-file.js";
import { entriesFor } from "../install/remove-hooks.js";
import { agentAt } from "../shared/contract.js";
import type { AgentDefinition } from "../shared/definition.js";
import { clientStem } from "./client-script.js";
import { readPrograms } from "./find-program.js";

/** An attached agent according to the record, and whether its file still agrees. */
export interface Attached {
  readonly agent: string;
  readonly scope: string;
  readonly path: string;
  readonly isStrict: boolean;
  readonly transport: "http" | "client";
  /** The address it posts to. */
  readonly url?: string;
  /** `changed`: our entries are missing or differ. `edited`: our entries are intact, but something else in the file differs. */
  readonly state: "as written" | "edited" | "changed" | "gone";
}

/** All attached agents. `folder`: `attach` in the state folder. */
export function readAttached(folder: string): Attached[] {
  const all = readInstalled(folder);
  return all.flatMap((one) => (one.part === undefined ? [withParts(attachedOf(one), all)] : []));
}

/** An agent with a file for each event has lost its hooks if one of the files has. */
function withParts(attached: Attached, all: readonly Installed[]): Attached {
  const parts = all.filter(({ agent, scope, path, part }) => {
    const isBeside = dirname(path) === dirname(attached.path);
    return part !== undefined && agent === attached.agent && scope === attached.scope && isBeside;
  });
  const isWhole = parts.every((part) => stateOf(part) === "as written");
  return isWhole || attached.state === "gone" ? attached : { ...attached, state: "changed" };
}

/** The agents whose files contain our entries. Throws `HL_AGENT_FILE` for an unreadable record. */
export function attachedAgents(folder: string): AgentDefinition[] {
  const present = new Set(readAttached(folder).flatMap(({ agent, state }) => (state === "gone" ? [] : [agent])));
  const versions = readPrograms(folder);
  return agents.filter(({ id }) => present.has(id)).map((agent) => agentAt(agent, versions[agent.id]?.version));
}

/** An agent in the version that it had when it was attached. Only the events of some agents differ between versions. */
export function asAttached(folder: string, agent: AgentDefinition): AgentDefinition {
  return agent.contracts.length === 1 ? agent : agentAt(agent, readPrograms(folder)[agent.id]?.version);
}

/** Whether an agent covers a session in this folder: always, except that the target `project` covers only sessions inside the project. */
export function covers(attached: Attached, cwd: string): boolean {
  return attached.scope !== "project" || !relative(projectOf(attached), cwd).startsWith("..");
}

/** The project folder that contains the file. */
export function projectOf({ agent, path }: Pick<Attached, "agent" | "path">): string {
  const inProject = findAgent(agent)?.install.settingsPath("project", {}, "/") ?? "";
  return path.endsWith(inProject) ? path.slice(0, path.length - inProject.length) || "/" : dirname(dirname(path));
}

/** The record's entry for one file, and whether the file still agrees. */
export function attachedOf(installed: Installed): Attached {
  const { agent, scope, path, entries } = installed;
  const text = JSON.stringify(entries);
  const url = /(https?:\/\/[^"/\\]+)\/api\/agents\//.exec(text)?.[1];
  return {
    agent,
    scope,
    path,
    isStrict: text.includes(`/${clientStem(agent, true)}`),
    transport: url === undefined ? "client" : "http",
    ...(url !== undefined && { url }),
    state: stateOf(installed),
  };
}

function stateOf(installed: Installed): Attached["state"] {
  const { path, after, entries, syntax } = installed;
  const text = read(path);
  if (text === undefined) return "gone";
  if (hashOf(text) === after) return "as written";
  if (isScript(syntax)) return "changed";
  return (lineFile(syntax) === undefined ? hasAll(text, entries) : hasAllLines(text, installed)) ? "edited" : "changed";
}

function hasAllLines(text: string, { entries, ...ours }: Installed): boolean {
  try {
    return Object.entries(entries).every(([event, wanted]) => isDeepStrictEqual(entriesFor(text, ours, event)?.ours, wanted));
  } catch {
    return false;
  }
}

/** Parses plain JSON only. At worst, an agent with comments in its file is reported as changed although it is not. */
function hasAll(text: string, entries: Installed["entries"]): boolean {
  const flat = text.replace(/\s+/g, "");
  return Object.values(entries).every((list) => list.every((entry) => flat.includes(JSON.stringify(entry).replace(/\s+/g, ""))));
}

function read(path: string): string | undefined {
  const file = readRegularFile(path);
  return file === undefined || "fault" in file ? undefined : file.bytes.toString("utf8");
}
