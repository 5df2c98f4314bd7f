import { type Bus, block, findEvent, type HookEvent, type Off } from "@hookline/core";
import type { BrokenGuard } from "../../config/config.js";
import { type Scope, within } from "../../rules/regex/rule-regex.js";

/** A guard that cannot be read guards all the same: what it would have looked at is denied until it is mended. */
export function standIn(bus: Bus, { name, events, tool, file, line }: BrokenGuard, scope?: Scope): Off[] {
  const reason = `The guard "${name}" is wrong (${file}:${line}), so what it guards is denied. Mend it: the hub reads it again. What is wrong: hookline hooks doctor`;
  const match = within(scope, undefined);
  const options = {
    name: `${name} (broken)`,
    path: file,
    onFailure: "closed",
    ...(tool !== undefined && { tool }),
    ...(match !== undefined && { match }),
  } as const;
  const answer = (event: HookEvent): unknown => (findEvent(event.name)?.spec.kind === "gate" ? block(reason) : undefined);
  return events.map((event) => bus.on(event, answer as never, options));
}
