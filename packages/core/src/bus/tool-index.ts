import { readTool } from "../match/path.js";
import type { AnyHandler, Registration } from "./registration.js";

/** Tools' names come from outside; past this many the index starts again. */
const MAX_NAMES = 256;

/** The handlers that a payload can concern, by their places in the list, in order. Nothing when it cannot be read: each guard is to find that out for itself. */
export type ToolIndex = (payload: unknown) => readonly number[] | undefined;

/** The handlers that a tool concerns. */
interface Concerned {
  /** Their places in the list. */
  readonly alone: number[];
  /** Those with an index, which knows more than the tool. */
  readonly indexed: Map<(payload: unknown) => readonly AnyHandler[], Map<AnyHandler, number>>;
}

/** Works out once for each tool's name whom it concerns: handlers for other tools cost nothing. */
export function createToolIndex(handlers: readonly Registration[]): ToolIndex {
  const known = new Map<unknown, Concerned>();
  function concernedBy(name: string | undefined): Concerned {
    const alone: number[] = [];
    const indexed: Concerned["indexed"] = new Map();
    for (const [place, { parts, handler }] of handlers.entries()) {
      if (name !== undefined && parts.toolFilter?.({ tool: { name } }) === false) continue;
      if (parts.index === undefined) alone.push(place);
      else indexed.set(parts.index, (indexed.get(parts.index) ?? new Map<AnyHandler, number>()).set(handler, place));
    }
    if (known.size >= MAX_NAMES) known.clear();
    const concerned = { alone, indexed };
    known.set(name, concerned);
    return concerned;
  }
  return (payload) => {
    try {
      const tool = readTool(payload);
      // A tool with two names is rare, and a filter may take either.
      const name = tool?.runtimeName === undefined && typeof tool?.name === "string" ? tool.name : undefined;
      const { alone, indexed } = known.get(name) ?? concernedBy(name);
      let all = alone;
      for (const [index, places] of indexed)
        for (const handler of index(payload)) {
          const place = places.get(handler);
          if (place !== undefined) all = [...all, place];
        }
      return all === alone ? all : all.sort((a, b) => a - b);
    } catch {
      return undefined;
    }
  };
}
