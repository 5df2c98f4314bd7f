import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { type Hub, startHub } from "hookline/hub";
import { onTestFinished } from "vitest";
import { listProjectHooks } from "../../packages/hookline/src/extensions/trust/project-hooks.ts";
import { createTrust, type Trust } from "../../packages/hookline/src/extensions/trust/trust.ts";
import { call, denying, hookYaml, putFiles } from "./hook-files.ts";
import { testFolder } from "./test-folder.ts";

type Files = { readonly [path: string]: string };

/** A person's machine: a project with hooks, a record of consent, and hubs when they are started. */
export interface ProjectHome {
  readonly home: string;
  readonly state: string;
  readonly project: string;
  readonly trust: Trust;
  readonly problems: string[];
  /** Into the project. */
  write(files: Files): void;
  consent(name: string): void;
  revoke(name: string): void;
  start(): Promise<Hub>;
}

/** What a hub answers over HTTP. */
export interface Decided {
  readonly verdict: string;
  readonly reason?: string;
  readonly by?: string;
  readonly cause?: string;
}

export const IN_HOOKS = ".hookline/hooks";

/** A project's guard of tool calls, in JavaScript. */
export function projectGuard(name: string, handler = denying(`${name} says no`), more = "permissions: [tools.intercept]\n"): Files {
  return { [`${IN_HOOKS}/${name}/HOOK.yaml`]: hookYaml(name, more), [`${IN_HOOKS}/${name}/handler.mjs`]: handler };
}

export function projectHome(files: Files, toml = ""): ProjectHome {
  const home = realpathSync(testFolder());
  const [state, project, config] = [join(home, "state"), join(home, "proj"), join(home, "config/hookline.toml")];
  putFiles(home, { "config/hookline.toml": toml });
  for (const folder of [project, join(home, "other"), join(home, "run")]) mkdirSync(folder, { mode: 0o700 });
  putFiles(project, files);
  const trust = createTrust(state);
  const problems: string[] = [];
  const hookNamed = (name: string) => {
    const found = trust.look(project).find(({ hook }) => hook.name === name)?.hook ?? listProjectHooks(project)[0];
    if (found?.name !== name) throw new Error(`no hook ${name}`);
    return found;
  };
  return {
    home,
    state,
    project,
    trust,
    problems,
    write: (more) => void putFiles(project, more),
    consent: (name) => void trust.request(hookNamed(name)).accept(),
    revoke: (name) => void trust.revoke(hookNamed(name)),
    async start() {
      const hub = await startHub({ state, runtime: join(home, "run"), port: 0, config, onProblem: (text) => problems.push(text) });
      onTestFinished(() => hub.close());
      return hub;
    },
  };
}

/** Asks a hub over HTTP, as an agent in that folder would. */
export async function decideIn(hub: Hub, cwd: string, command = "ls"): Promise<Decided> {
  const response = await fetch(new URL("/api/decide", hub.file.url), {
    method: "POST",
    headers: { authorization: `Bearer ${hub.file.token}`, "content-type": "application/json" },
    body: JSON.stringify({ event: "tool:before", payload: call(command, { cwd }), timeoutMs: 10_000 }),
  });
  return (await response.json()) as Decided;
}
