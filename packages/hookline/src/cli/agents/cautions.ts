import { readFileSync, realpathSync } from "node:fs";
import { parse } from "jsonc-parser";
import type { AgentProgram } from "../../agents/attach/programs.js";
import type { Scope } from "../../agents/claude-code/install.js";
import { unreviewedEvents } from "../../agents/codex/hook-trust.js";

interface Place {
  readonly scope: string;
  readonly path: string;
}

/** What keeps an attached agent's hooks from running, or has to be done before they do. */
export function cautionsOf(program: AgentProgram, { scope, path }: Place, env: NodeJS.ProcessEnv): readonly string[] {
  const settings = readSettings(path);
  const cautions = program.cautions?.({ scope: scope as Scope, env, settings }) ?? [];
  const isPending = program.note !== undefined && (program.dialect.id !== "codex" || isUnreviewed(path, settings, env));
  return isPending && program.note !== undefined ? [...cautions, program.note] : cautions;
}

/** What it means that an agent posts by itself. */
export function httpCaution(agent: string): string {
  return (
    "It was attached with --http, so its settings hold a key, it cannot tell the hub from another program on the hub's port, " +
    `it goes on when the hub does not answer, and that is not counted. To have it ask by the script: hookline attach ${agent}`
  );
}

function isUnreviewed(path: string, settings: unknown, env: NodeJS.ProcessEnv): boolean {
  const { hooks } = (settings ?? {}) as { readonly hooks?: { readonly [event: string]: readonly unknown[] } };
  if (hooks === undefined) return true;
  const isOurs = (handler: unknown): boolean => /\/attach\/codex(-strict)?\.sh/.test(JSON.stringify(handler));
  // By which of its names Codex knows a folder behind a link depends on how it was told of it.
  return [path, realPath(path)].every((source) => unreviewedEvents(source, hooks, isOurs, env).length > 0);
}

function readSettings(path: string): unknown {
  try {
    return parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
