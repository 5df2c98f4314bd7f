import { readFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { agents, findAgent } from "../agents.js";
import { hashOf, type Installed, readInstalled } from "../install/installed.js";
import type { AgentDefinition } from "../shared/definition.js";

/** An agent that is attached, as the record says, and whether its file still says so. */
export interface Attached {
  readonly agent: string;
  readonly scope: string;
  readonly path: string;
  readonly isStrict: boolean;
  readonly transport: "http" | "client";
  /** Where it posts to. */
  readonly url?: string;
  /** `changed`: our entries are not all there as we wrote them. `edited`: they are, and something else is different. */
  readonly state: "as written" | "edited" | "changed" | "gone";
}

/** Everything that is attached. `folder`: `attach` in the state folder. */
export function readAttached(folder: string): Attached[] {
  return readInstalled(folder).map(attachedOf);
}

/** The agents whose files have our entries. Throws `HL_AGENT_FILE` for a record that cannot be read. */
export function attachedAgents(folder: string): AgentDefinition[] {
  const present = new Set(readAttached(folder).flatMap(({ agent, state }) => (state === "gone" ? [] : [agent])));
  return agents.filter(({ id }) => present.has(id));
}

/** Whether a session in this folder is covered: the user's always, a project's in the project. */
export function covers(attached: Attached, cwd: string): boolean {
  return attached.scope === "user" || !relative(projectOf(attached), cwd).startsWith("..");
}

/** The folder of the project that the file is in. */
export function projectOf({ agent, path }: Pick<Attached, "agent" | "path">): string {
  const inProject = findAgent(agent)?.install.settingsPath("project", {}, "/") ?? "";
  return path.endsWith(inProject) ? path.slice(0, path.length - inProject.length) || "/" : dirname(dirname(path));
}

/** What the record says of one file, and whether the file still says so. */
export function attachedOf(installed: Installed): Attached {
  const { agent, scope, path, entries } = installed;
  const text = JSON.stringify(entries);
  const url = /(https?:\/\/[^"/\\]+)\/api\/agents\//.exec(text)?.[1];
  return {
    agent,
    scope,
    path,
    isStrict: text.includes("-strict.sh"),
    transport: url === undefined ? "client" : "http",
    ...(url !== undefined && { url }),
    state: stateOf(installed),
  };
}

function stateOf({ path, after, entries }: Installed): Attached["state"] {
  const text = read(path);
  if (text === undefined) return "gone";
  if (hashOf(text) === after) return "as written";
  return hasAll(text, entries) ? "edited" : "changed";
}

/** As JSON alone: where that does not parse, an agent with comments in its file is told of a change it does not have, at worst. */
function hasAll(text: string, entries: Installed["entries"]): boolean {
  const flat = text.replace(/\s+/g, "");
  return Object.values(entries).every((list) => list.every((entry) => flat.includes(JSON.stringify(entry).replace(/\s+/g, ""))));
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
