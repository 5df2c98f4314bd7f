import { HookError } from "@hookline/core";
import { readRegularFile } from "../../machine/regular-file.js";
import { SILENCE_MS } from "../client/reply-format.js";
import { splitMark } from "../install/file-owner.js";
import { isMarked } from "../install/hook-lists.js";
import { entriesFor } from "../install/remove-hooks.js";
import { type AgentDefinition, canDo } from "../shared/definition.js";
import { isObject } from "../shared/native-payload.js";
import { oursOf } from "./plan-attach.js";

/** One of our hooks as it is in an agent's file now. */
export interface EffectiveHook {
  readonly command?: string;
  /** The variables that the agent sets for it. */
  readonly env?: { readonly [name: string]: string };
  /** How long the agent waits for it. */
  readonly timeoutMs: number;
}

/** An agent's file with our hooks. */
export interface HookedFile {
  readonly path: string;
  readonly scope: string;
}

/** Our hook for an event in an agent's file, as the agent reads the file. Undefined if there is none. Throws `HL_AGENT_FILE` for a file that the agent rejects. */
export function effectiveHook(
  agent: AgentDefinition,
  { path, scope }: HookedFile,
  event: string,
  folder: string,
): EffectiveHook | undefined {
  const known = oursOf(agent, folder, scope);
  const handlers = (entriesFor(splitMark(textOf(path)).body, known, event)?.all ?? []).flatMap(handlersOf);
  const [ours] = handlers.filter((handler) => isMarked(handler, known.marks));
  const { entryIn } = agent.install;
  const hook = typeof ours === "string" && entryIn !== undefined ? entryIn(ours, event) : ours;
  // A whole script is the command itself.
  if (typeof hook === "string") return { command: hook, timeoutMs: agent.contracts[0].timeout.defaultMs ?? SHORTEST_MS };
  return hook === undefined ? undefined : hookOf(agent, hook as { readonly [field: string]: unknown });
}

function textOf(path: string): string {
  const file = readRegularFile(path) ?? { fault: "There is no such file." };
  if ("fault" in file) throw new HookError("HL_AGENT_FILE", `"${path}" was not read. ${file.fault}`);
  return file.bytes.toString("utf8");
}

/**
 * An agent that waits less than this may continue before the client has noticed that the hub is silent. Where a default is not documented, a question
 * to a person ends within this time.
 */
const SHORTEST_MS = SILENCE_MS + 2_000;

function hookOf(
  { install: { entry }, contracts: [{ timeout: limit }] }: AgentDefinition,
  handler: { readonly [field: string]: unknown },
): EffectiveHook {
  const { [entry.command]: command, [entry.timeout]: timeout, env } = handler;
  return {
    ...(typeof command === "string" && { command }),
    ...(isObject(env) && { env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)])) }),
    timeoutMs: typeof timeout === "number" ? timeout * limit.unitMs : (limit.defaultMs ?? SHORTEST_MS),
  };
}

/** What is wrong with our hooks in an agent's file, as the agent reads it now: one sentence each. `events`: those that should have a hook. */
export function hookFaults(agent: AgentDefinition, file: HookedFile, folder: string, events: readonly string[]): string[] {
  try {
    const wanted = agent.install.entryIn === undefined ? events : hookedEvents(agent);
    const hooks = wanted.map((event) => ({ event, hook: effectiveHook(agent, file, event, folder) }));
    const missing = hooks.filter(({ hook }) => hook === undefined).map(({ event }) => event);
    const short = hooks.filter(({ event, hook }) => canDo(agent, event, "block") && hook !== undefined && hook.timeoutMs < SHORTEST_MS);
    return [
      ...(missing.length === 0 ? [] : [`Hookline's hooks are missing for ${missing.join(", ")}.`]),
      ...short.map(
        ({ event, hook }) =>
          `The timeout of ${event} is ${hook?.timeoutMs} ms: ${agent.title} may continue before the client has noticed that the hub does not answer. Use ${SHORTEST_MS} ms or more.`,
      ),
    ];
  } catch (error) {
    return [`${agent.title} cannot read its file, and runs none of its hooks: ${(error as Error).message}.`];
  }
}

/** The events that have a hook: a text of ours alone holds all of them. */
function hookedEvents({ events }: AgentDefinition): readonly string[] {
  return Object.keys(events).filter((event) => events[event]?.leftAlone === undefined);
}

/** The handlers in a group, or an entry that is a handler itself. */
function handlersOf(entry: unknown): readonly unknown[] {
  const { hooks } = (entry ?? {}) as { readonly hooks?: unknown };
  return Array.isArray(hooks) ? hooks : [entry];
}
