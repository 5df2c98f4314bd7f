import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parse } from "jsonc-parser";
import { agentFaults, agentNotices } from "../../agents/attach/agent-faults.js";
import type { AgentDefinition, AttachTarget } from "../../agents/shared/definition.js";
import { readAttachSetting } from "./attach-setting.js";

interface Place {
  readonly scope: string;
  readonly path: string;
}

/** What prevents an attached agent's hooks from running, or must be done before they run. `args` are the arguments of a run that is about to start. */
export function cautionsOf(
  agent: AgentDefinition,
  { scope, path }: Place,
  env: NodeJS.ProcessEnv,
  args: readonly string[] = [],
): readonly string[] {
  const setting = { target: scope as AttachTarget, path, env, cwd: resolve("."), settings: readSettings(path), args };
  return [...agentFaults(agent, setting), ...(agent.install.cautions?.(setting) ?? [])];
}

/** What a person should know about the folder's and the user's files, although the hooks run. */
export function noticesOf(agent: AgentDefinition, { scope, path }: Place, env: NodeJS.ProcessEnv): readonly string[] {
  const setting = { target: scope as AttachTarget, path, env, cwd: resolve("."), settings: undefined };
  return agentNotices(agent, setting, readAttachSetting(env).folder);
}

/** What prevents an attached agent's hooks from running now. */
export function faultsOf(agent: AgentDefinition, { scope, path }: Place, env: NodeJS.ProcessEnv): readonly string[] {
  const cwd = resolve(".");
  return agentFaults(agent, { target: scope as AttachTarget, path, env, cwd, settings: readSettings(path) });
}

/** The consequences of `--http`. */
export function httpCaution(agent: string): string {
  return (
    "It was attached with --http: its settings hold a key, it cannot tell the hub from another program on the hub's port, " +
    `and when the hub does not answer, calls continue and are not counted. To use the script instead: hookline attach ${agent}`
  );
}

function readSettings(path: string): unknown {
  try {
    return parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
