import { readFileSync } from "node:fs";
import { splitMark } from "../install/file-owner.js";
import { isMarked, listOf, plainValue } from "../install/hook-lists.js";
import { parseDocument } from "../install/json-document.js";
import type { AgentDefinition } from "../shared/definition.js";
import { oursOf } from "./plan-attach.js";

/** One of our hooks as it is in an agent's file now. */
export interface EffectiveHook {
  readonly command?: string;
  /** How long the agent waits for it. */
  readonly timeoutMs: number;
}

/** Our hook for an event in an agent's file, as the agent reads the file. Undefined if there is none. Throws `HL_AGENT_FILE` for a file that the agent rejects. */
export function effectiveHook(agent: AgentDefinition, path: string, event: string, folder: string): EffectiveHook | undefined {
  const { marks, syntax } = oursOf(agent, folder);
  const list = listOf(parseDocument(splitMark(readFileSync(path, "utf8")).body, syntax), event);
  const handlers = (list === undefined ? [] : (plainValue(list) as readonly unknown[])).flatMap(handlersOf);
  const [ours] = handlers.filter((handler) => isMarked(handler, marks));
  return ours === undefined ? undefined : hookOf(agent, ours as { readonly [field: string]: unknown });
}

function hookOf({ install: { entry } }: AgentDefinition, handler: { readonly [field: string]: unknown }): EffectiveHook {
  const { [entry.command]: command, [entry.timeout]: timeout } = handler;
  return {
    ...(typeof command === "string" && { command }),
    timeoutMs: typeof timeout === "number" ? timeout * entry.unitMs : entry.defaultMs,
  };
}

/** The handlers in a group, or an entry that is a handler itself. */
function handlersOf(entry: unknown): readonly unknown[] {
  const { hooks } = (entry ?? {}) as { readonly hooks?: unknown };
  return Array.isArray(hooks) ? hooks : [entry];
}
