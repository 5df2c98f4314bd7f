import { readFileSync } from "node:fs";
import { parse } from "jsonc-parser";
import type { AgentDefinition, InstallTarget } from "../../agents/shared/definition.js";

interface Place {
  readonly scope: string;
  readonly path: string;
}

/** What keeps an attached agent's hooks from running, or has to be done before they run. `args`: those of a run that is about to start. */
export function cautionsOf(
  { install }: AgentDefinition,
  { scope, path }: Place,
  env: NodeJS.ProcessEnv,
  args: readonly string[] = [],
): readonly string[] {
  return install.cautions?.({ target: scope as InstallTarget, path, env, settings: readSettings(path), args }) ?? [];
}

/** What it means that an agent posts by itself. */
export function httpCaution(agent: string): string {
  return (
    "It was attached with --http, so its settings hold a key, it cannot tell the hub from another program on the hub's port, " +
    `it goes on when the hub does not answer, and that is not counted. To have it ask by the script: hookline attach ${agent}`
  );
}

function readSettings(path: string): unknown {
  try {
    return parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
