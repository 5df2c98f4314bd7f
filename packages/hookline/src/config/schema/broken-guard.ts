import { catalog, findEvent } from "@hookline/core";
import { closest } from "@hookline/core/internal/text";
import { actionOf, type RuleAction, ruleActions } from "../../rules/actions.js";
import type { BrokenGuard } from "../config.js";

type Table = { readonly [key: string]: unknown };

/** What remains of an invalid entry: enough to keep closed what it would have guarded. Undefined if it would not have guarded anything. */
export function brokenGuard(kind: "hook" | "rule", table: Table, place: Pick<BrokenGuard, "file" | "line" | "entry">): BrokenGuard[] {
  const action = kind === "rule" && isAction(table.do) ? actionOf(table.do) : undefined;
  // Without a recognizable event it counts as a guard of tool calls: ignoring it would open what it guards.
  const { name, event = table.events ?? action?.event ?? "tool:before", tool, enabled, onFailure, stage, mode } = table;
  // A rule that blocks or asks but has a stage after the decision was meant to run in time.
  const isObserver = kind === "hook" && stage === "observe";
  // A rule in the shadow would have decided nothing.
  const isGuard =
    enabled !== false && !(kind === "rule" && mode === "shadow") && onFailure !== "open" && !isObserver && (action?.guards ?? true);
  // An empty list covers nothing. Any other value was meant to be a name or a list of names.
  const named = textsIn(event);
  const isMisread = named.length === 0 && !(Array.isArray(event) && event.length === 0);
  // A transform is open by default, but the intention of an invalid entry is unknown.
  const keeps = (name: string): boolean => canBlock(name) || findEvent(name)?.spec.kind === "transform";
  const events = [...new Set((isMisread ? ["tool:before"] : named).map((text) => meant(text, kind)))].filter(keeps);
  if (!isGuard || events.length === 0) return [];
  const tools = textsIn(tool);
  return [
    {
      kind,
      name: typeof name === "string" ? name : `${kind} in line ${place.line ?? 1}`,
      events,
      ...(tools.length > 0 && { tool: tools }),
      ...place,
    },
  ];
}

/** The same for an unreadable file: it may have been meant to stop any call. */
export function assumedGuard(name: string, file: string): BrokenGuard[] {
  return brokenGuard("hook", { name }, { file }).map((guard) => ({ ...guard, isAssumed: true }));
}

/** An unknown name counts as the most similar one. A rule covers tools if nothing else is recognizable. */
function meant(event: string, kind: "hook" | "rule"): string {
  const known = findEvent(event)?.name ?? "";
  if (event.includes("*") || Object.hasOwn(catalog, known) || known.startsWith("command:")) return event;
  return closest(event, Object.keys(catalog)) ?? (kind === "rule" ? "tool:before" : event);
}

function isAction(value: unknown): value is RuleAction {
  return ruleActions.some((action) => action === value);
}

function textsIn(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((item) => typeof item === "string");
}

function canBlock(event: string): boolean {
  if (event === "*") return true;
  const [namespace = "", name] = event.split(":");
  if (name === "*") return Object.keys(catalog).some((known) => known.startsWith(`${namespace}:`) && canBlock(known));
  const spec = findEvent(event)?.spec;
  return spec?.kind === "gate" && spec.outcomes.includes("block");
}
