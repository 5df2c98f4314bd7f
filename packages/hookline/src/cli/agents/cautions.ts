import { readFileSync } from "node:fs";
import { parse } from "jsonc-parser";
import type { AgentDefinition, InstallTarget } from "../../agents/shared/definition.js";

interface Place {
  readonly scope: string;
  readonly path: string;
}

/** What prevents an attached agent's hooks from running, or must be done before they run. `args` are the arguments of a run that is about to start. */
export function cautionsOf(
  { install }: AgentDefinition,
  { scope, path }: Place,
  env: NodeJS.ProcessEnv,
  args: readonly string[] = [],
): readonly string[] {
  return install.cautions?.({ target: scope as InstallTarget, path, env, settings: readSettings(path), args }) ?? [];
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
