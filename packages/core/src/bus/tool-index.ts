import { readTool } from "../match/path.js";
import type { Registration } from "./registration.js";

/** Tools' names come from outside; past this many the index starts again. */
const MAX_NAMES = 256;

/** The handlers that a payload can concern, by their places in the list, in order. Nothing when it cannot be read: each guard is to find that out for itself. */
export type ToolIndex = (payload: unknown) => readonly number[] | undefined;

/** Works out once for each tool's name whom it concerns: handlers for other tools cost nothing. */
export function createToolIndex(handlers: readonly Registration[]): ToolIndex {
  const known = new Map<unknown, readonly number[]>();
  const everybody = handlers.map((_, index) => index);
  return (payload) => {
    let name: unknown;
    try {
      const tool = readTool(payload);
      // A tool with two names is rare, and a filter may take either.
      if (tool?.runtimeName === undefined) name = tool?.name;
    } catch {
      return undefined;
    }
    if (typeof name !== "string") return everybody;
    let concerned = known.get(name);
    if (concerned === undefined) {
      concerned = everybody.filter((index) => handlers[index]?.parts.toolFilter?.({ tool: { name } }) !== false);
      if (known.size >= MAX_NAMES) known.clear();
      known.set(name, concerned);
    }
    return concerned;
  };
}
