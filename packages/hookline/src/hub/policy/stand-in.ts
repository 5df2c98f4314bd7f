import { type Bus, block, findEvent, type HandlerOptions, HookError, type HookEvent, type Off } from "@hookline/core";
import type { BrokenGuard } from "../../config/config.js";
import { everyPermission } from "../../rules/default-failure.js";
import { type Scope, within } from "../../rules/regex/rule-regex.js";

export interface StandInOptions {
  /** Whose guard it is. */
  readonly owner: string;
  /** The command that shows what is wrong with it. */
  readonly run: string;
  readonly scope?: Scope | undefined;
}

/** Replaces a guard that cannot be read: calls that it would have checked are denied, or withheld, until it is fixed. */
export function standIn(bus: Bus, { kind, name, events, tool, file, line }: BrokenGuard, { owner, run, scope }: StandInOptions): Off[] {
  const place = line === undefined ? file : `${file}:${line}`;
  const reason = `The ${kind} "${name}" is broken (${place}), so every call that it might guard is denied. Fix it there; the hub reloads it automatically. To see the error: ${run}`;
  const match = within(scope, undefined);
  const options = {
    name: freeName(bus, `${name} (broken)`),
    owner,
    permissions: everyPermission,
    description: `It stands in for the ${kind} "${name}", which is broken, and denies every call that it might guard.`,
    path: place,
    onFailure: "closed",
    health: () => ({ state: "broken" }),
    ...(match !== undefined && { match }),
  } as const;
  const answer = (event: HookEvent): unknown => {
    const kind = findEvent(event.name)?.spec.kind;
    // A value cannot be denied; a closed handler that fails withholds it.
    if (kind === "transform") throw new HookError("HL_CONFIG", reason, { failure: "disabled" });
    return kind === "gate" ? block(reason) : undefined;
  };
  return events.map((event) => put(bus, answer, wider(event, { ...options, ...(tool !== undefined && { tool }) })));
}

type Attempt = readonly [event: string, options: HandlerOptions];

/** Its event or its tool may be what is wrong with it: then it stands for all of them. */
function wider(event: string, options: HandlerOptions): readonly Attempt[] {
  const { tool: _, ...anyTool } = options;
  return [
    [event, options],
    [event, anyTool],
    [`${event.split(":")[0]}:*`, anyTool],
    ["*", anyTool],
  ];
}

function put(bus: Bus, answer: (event: HookEvent) => unknown, [first, ...rest]: readonly Attempt[]): Off {
  const [event, options] = first as Attempt;
  try {
    return bus.on(event, answer, options);
  } catch (error) {
    if (!(error instanceof HookError) || rest.length === 0) throw error;
    return put(bus, answer, rest);
  }
}

/** Two of one name, of two projects or of one manifest, both guard. */
function freeName(bus: Bus, name: string): string {
  const names = new Set(bus.list().map((row) => row.name));
  let free = name;
  for (let count = 2; names.has(free); count++) free = `${name} ${count}`;
  return free;
}
