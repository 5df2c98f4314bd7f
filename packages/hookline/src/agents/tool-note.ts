import { findEvent, type MatchObject } from "@hookline/core";
import { compileToolScope } from "@hookline/core/internal";
import { didYouMean } from "@hookline/core/internal/text";
import { patternsIn } from "../rules/example-event.js";
import { ruleRegex } from "../rules/regex/rule-regex.js";
import { findTool, whyNoTool } from "./agent-sender.js";
import type { AgentDialect } from "./shared/definition.js";
import { namesOf } from "./shared/tool-table.js";

/** The known tools. */
export interface KnownTools {
  /** The agents that are attached. */
  readonly attached: readonly AgentDialect[];
  /** The tools that the hub has seen calls of, from any process. Missing if no hub was asked. */
  readonly seen?: readonly string[] | undefined;
}

/** The parts of a guard that select tools. */
interface Guarding {
  readonly events: readonly string[];
  readonly tool?: string | readonly string[] | undefined;
  readonly match?: string | MatchObject | undefined;
}

/** A note that no attached agent has a tool that the rule or hook covers. Undefined if one has, or if no agent is attached. */
export function toolNote(guard: Guarding, known: KnownTools): string | undefined {
  const { attached, seen = [] } = known;
  if (attached.length === 0 || !isAboutTools(guard)) return undefined;
  try {
    const isFor = compileToolScope(guard, ruleRegex);
    if (attached.some((dialect) => findTool(dialect, guard) !== undefined) || seen.some((name) => isFor({ name }))) return undefined;
  } catch {
    // Its expression is invalid, which is reported elsewhere.
    return undefined;
  }
  const unseen = known.seen === undefined ? "" : " The hub has seen no call of such a tool either.";
  return `${noteOf(guard, known)}${unseen}`;
}

function noteOf(guard: Guarding, { attached, seen = [] }: KnownTools): string {
  const titles = attached.map(({ title }) => title).join(", ");
  if (guard.tool === undefined) return `Its "match" is for tools that no attached agent (${titles}) has.`;
  const patterns = patternsIn(guard.tool);
  const named = attached.flatMap(({ tools }) => Object.keys(tools).flatMap((native) => Object.values(namesOf(tools, native))));
  const [only, ...others] = patterns;
  const hint = only === undefined || others.length > 0 ? "" : didYouMean(only, [...new Set([...named, ...seen])]);
  const isMcp = patterns.some((pattern) => /^mcp__/i.test(pattern));
  const mcp = isMcp ? attached.map((dialect) => ` ${whyNoTool(dialect, guard)}`).join("") : "";
  return `No attached agent (${titles}) has a tool ${patterns.map((pattern) => `"${pattern}"`).join(" or ")}.${mcp || hint}`;
}

/** A filter is always about tools. An expression may be about anything, unless all its events are tool calls. */
function isAboutTools({ events, tool }: Guarding): boolean {
  return tool !== undefined || events.every((event) => toolEvents.test(findEvent(event)?.name ?? event));
}

const toolEvents = /^(tool:|permission:asked$)/;
