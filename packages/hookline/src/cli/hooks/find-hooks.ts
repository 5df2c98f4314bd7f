import { lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { stateFolder } from "@hookline/core/discover";
import type { HookConfig } from "../../config/config.js";
import { configPath } from "../../config/config-path.js";
import { loadConfig } from "../../config/load-config.js";
import { formatProblem } from "../../config/problem.js";
import { hashFolder } from "../../extensions/trust/hash-folder.js";
import { listProjectHooks } from "../../extensions/trust/project-hooks.js";
import { createTrust, type Trust, type TrustRow } from "../../extensions/trust/trust.js";
import { loadHandlers } from "../../hub/handlers/load-handlers.js";
import { defaultFailureMode } from "../../rules/default-failure.js";
import type { KnownHook } from "./known-hook.js";
import { loadFolder } from "./load-folder.js";

/** Every hook this user has: in hookline.toml, in his hooks folder, and in the project. What is not trusted is listed, not opened. */
export async function findHooks(env: NodeJS.ProcessEnv, project: string): Promise<readonly KnownHook[]> {
  return [...(await configHooks(env)), ...(await userFolders(env)), ...(await projectHooks(env, project))];
}

/** Where a user's own hook folders stand. */
export function userHooksFolder(env: NodeJS.ProcessEnv): string {
  return join(dirname(configPath(env)), "hooks");
}

async function configHooks(env: NodeJS.ProcessEnv): Promise<KnownHook[]> {
  const { config, problems, path } = await loadConfig(configPath(env));
  const rejected = problems
    .filter(({ key }) => key === "" || key.startsWith("hook"))
    .map((problem): KnownHook => {
      const name = problem.key === "" ? "hookline.toml" : problem.key.replace(/\..*$/, "");
      const shared = { name, kind: "config", from: "user", path: `${path}:${problem.line}`, events: [], fingerprint: "" } as const;
      return { ...shared, state: "rejected", problems: [formatProblem(problem)] };
    });
  return [...(config?.hooks ?? []).map(configHook), ...rejected];
}

function configHook(hook: HookConfig): KnownHook {
  const { name, events, stage, onFailure, timeoutMs = 5_000, file, line } = hook;
  return {
    name,
    kind: "module",
    from: "user",
    state: "active",
    path: `${file}:${line}`,
    events,
    timeoutMs,
    onFailure:
      stage === "observe" ? "open" : (onFailure ?? (events.some((event) => defaultFailureMode(event) === "closed") ? "closed" : "open")),
    problems: [],
    fingerprint: JSON.stringify(hook),
    async register(bus) {
      const handlers = loadHandlers(bus, [hook], () => {});
      return { close: async () => handlers.close() };
    },
  };
}

async function userFolders(env: NodeJS.ProcessEnv): Promise<KnownHook[]> {
  const folder = userHooksFolder(env);
  const paths = namesIn(folder).map((name) => join(folder, name));
  return Promise.all(
    paths
      .filter((path) => lstatSync(path).isDirectory())
      .map(async (path) => ({ ...(await loadFolder(path, "user")), from: "user" as const, path, fingerprint: fingerprintOf(path) })),
  );
}

/** While the record of consent cannot be read, nobody has consented to anything. */
async function projectHooks(env: NodeJS.ProcessEnv, project: string): Promise<KnownHook[]> {
  const trust = createTrust(stateFolder(env));
  try {
    return await Promise.all(trust.look(project).map((row) => projectHook(row, trust)));
  } catch (error) {
    const reason = (error as Error).message;
    return Promise.all(listProjectHooks(project).map((hook) => projectHook({ hook, state: "untrusted", reason }, trust)));
  }
}

async function projectHook({ hook, state, reason }: TrustRow, trust: Trust): Promise<KnownHook> {
  const shared = { name: hook.name, kind: hook.kind, from: "project", path: hook.path, fingerprint: "" } as const;
  if (state !== "trusted") return { ...shared, state, events: [], problems: reason === undefined ? [] : [reason] };
  if (hook.kind === "config") return { ...shared, state: "active", events: [], problems: [] };
  try {
    // The copy that was consented to, never the folder in the project.
    return { ...(await loadFolder(trust.open(hook), "project")), ...shared };
  } catch (error) {
    return { ...shared, state: "modified", events: [], problems: [(error as Error).message] };
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith("."))
      .sort();
  } catch {
    return [];
  }
}

function fingerprintOf(folder: string): string {
  try {
    return hashFolder(folder);
  } catch (error) {
    return (error as Error).message;
  }
}
