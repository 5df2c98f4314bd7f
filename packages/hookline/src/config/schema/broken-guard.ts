import { catalog, findEvent } from "@hookline/core";
import type { BrokenGuard } from "../config.js";

/** What a rule may do that stops nothing, so that nothing is open without it. */
const HARMLESS: readonly unknown[] = ["allow", "modify", "inject", "remind", "notify"];

type Table = { readonly [key: string]: unknown };

/** What is left of an entry that is wrong: enough to keep closed what it would have guarded. Nothing if it would not have guarded anything. */
export function brokenGuard(kind: "hook" | "rule", table: Table, place: { readonly file: string; readonly line: number }): BrokenGuard[] {
  const { name, event = kind === "rule" ? "tool:before" : undefined, tool, enabled, onFailure, stage } = table;
  const isGuard = enabled !== false && onFailure !== "open" && stage !== "observe" && !(kind === "rule" && HARMLESS.includes(table.do));
  const events = textsIn(event).filter(canBlock);
  if (!isGuard || events.length === 0) return [];
  const tools = textsIn(tool);
  return [
    { name: typeof name === "string" ? name : `${kind} in line ${place.line}`, events, ...(tools.length > 0 && { tool: tools }), ...place },
  ];
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
