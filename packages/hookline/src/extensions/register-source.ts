import { type Bus, type HandlerOptions, HookError, type HookEvent, type Off } from "@hookline/core";
import { ruleRegex, type Scope, within } from "../rules/regex/rule-regex.js";
import { splitAfterTool } from "./after-tool.js";
import { busTimeout } from "./call-deadline.js";
import { failureModeOf } from "./guards-of.js";
import type { HandlerSource, HookSpec } from "./handler-source.js";

export interface RegisterOptions {
  /** Its owner name on the bus. Default: the source's name. */
  readonly owner?: string;
  /** The source's permissions: its own list, unless the user grants another. */
  readonly permissions?: readonly string[];
  /** A filter for its events, besides those of its hooks. */
  readonly scope?: Scope;
  /** Called for each hook that is refused. */
  readonly onError: (error: HookError, hook: HookSpec) => void;
}

/** Registers a source's hooks on a bus under the source's name. A refused hook is reported; the others stay. */
export function registerSource(bus: Bus, source: HandlerSource, options: RegisterOptions): Off[] {
  const split = splitAfterTool(source, options.permissions ?? source.permissions ?? []);
  return split.hooks.flatMap((hook): Off[] => {
    const handle = (event: HookEvent) => split.handle(event, hook);
    try {
      return [bus.on(hook.event, handle, optionsOf(source, hook, options))];
    } catch (error) {
      if (!(error instanceof HookError)) throw error;
      options.onError(error, hook);
      return [];
    }
  });
}

function optionsOf(source: HandlerSource, hook: HookSpec, { owner, permissions, scope }: RegisterOptions): HandlerOptions {
  const { name = source.name, tool, priority, stage, suspend } = hook;
  const timeoutMs = busTimeout(hook);
  const match = within(scope, hook.match);
  return {
    name,
    owner: owner ?? source.name,
    actor: "hook",
    permissions: permissions ?? source.permissions ?? [],
    onFailure: failureModeOf(hook),
    regex: ruleRegex,
    health: () => source.health(),
    ...(source.path !== undefined && { path: source.path }),
    ...(source.description !== undefined && { description: source.description }),
    matchEvents: matchEventsOf(source.hooks, hook),
    ...(match !== undefined && { match }),
    ...(tool !== undefined && { tool }),
    ...(priority !== undefined && { priority }),
    ...(stage !== undefined && { stage }),
    ...(suspend !== undefined && { suspend }),
    timeoutMs,
  };
}

/** One match may cover several events: each path that it reads must exist in one of them. */
export function matchEventsOf(hooks: readonly HookSpec[], { match, tool }: HookSpec): readonly string[] {
  const written = JSON.stringify([match, tool]);
  return hooks.filter((other) => JSON.stringify([other.match, other.tool]) === written).map(({ event }) => event);
}
