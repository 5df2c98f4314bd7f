import { catalog, type EventSpec, findEvent } from "@hookline/core";
import { compileMatch, families } from "@hookline/core/internal";
import { compileEventFilter } from "@hookline/core/internal/sinks";
import type { RuleExample } from "./rule.js";

/** The first event among these names and patterns that qualifies, in the catalogue's spelling. */
export function eventFor(events: readonly string[], isFit: (spec: EventSpec) => boolean = () => true): string | undefined {
  for (const event of events) {
    const found = namesOf(event).find((name) => isFit(findEvent(name)?.spec as EventSpec));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** An example as the payload of an event: text is a command, a prompt if the event has one, or a tool's output. */
export function payloadFor(event: string, example: RuleExample, tool?: string | readonly string[]): object {
  if (typeof example !== "string") return example;
  if (findEvent(event)?.spec.permission === "llm.content") return { prompt: example };
  if (event === "tool:result") return { tool: { name: toolFor(tool), callId: "example", input: {}, output: example } };
  return { tool: { name: toolFor(tool), callId: "example", input: { command: example } } };
}

const DEFAULT_TOOL = "Bash";

/** The name of a tool that the filter accepts: one that it names, otherwise any. */
export function toolFor(tool: string | readonly string[] | undefined): string {
  if (tool === undefined) return DEFAULT_TOOL;
  const patterns = patternsIn(tool);
  const plain = patterns.find((name) => /^[\w.-]+$/.test(name));
  if (plain !== undefined) return plain;
  return [DEFAULT_TOOL, ...patterns.map(sampleName)].find((name) => isTaken(tool, name)) ?? DEFAULT_TOOL;
}

/** The names and globs of a tool filter, one by one. */
export function patternsIn(tool: string | readonly string[]): readonly string[] {
  return [tool].flat().flatMap((given) => given.split(/[,|]/).map((name) => name.trim()));
}

function isTaken(tool: string | readonly string[], name: string): boolean {
  try {
    return compileMatch({ tool })?.({ tool: { name } }) === true;
  } catch {
    // Not a glob: what it accepts is unknown.
    return false;
  }
}

/** The shortest text that a glob accepts, or nearly. */
export function sampleName(glob: string): string {
  return glob
    .replaceAll("*", "")
    .replaceAll("?", "x")
    .replaceAll(/\[([^\]])[^\]]*\]/g, "$1");
}

function namesOf(event: string): readonly string[] {
  const name = findEvent(event)?.name;
  if (name !== undefined && !name.includes("*")) return [name];
  const pattern = name ?? event;
  if (!pattern.includes("*")) return [];
  const open = Object.keys(families).map((namespace) => `${namespace}:sample`);
  // The most common tools come first.
  return [...new Set(["tool:before", ...Object.keys(catalog), ...open])].filter(compileEventFilter(pattern));
}
