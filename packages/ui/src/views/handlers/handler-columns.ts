import { HANDLER_PERCENTILES } from "../../../../hookline/src/hub/protocol.js";
import type { HandlerRow } from "../../api/answers.js";
import { textOf } from "../../text/foreign.js";
import { failureText } from "./handler-facts.js";
import { numbersOf } from "./handler-numbers.js";

type Value = string | number | undefined;

/** A column of the table, and what its rows are sorted by. */
export interface HandlerColumn {
  readonly id: string;
  readonly label: string;
  readonly kind: "text" | "number" | "time";
  /** Left out where there is little room. */
  readonly isWide?: true;
  readonly valueOf: (handler: HandlerRow) => Value;
}

export const COLUMNS: readonly HandlerColumn[] = [
  { id: "name", label: "Handler", kind: "text", valueOf: ({ name }) => textOf(name) },
  { id: "kind", label: "Kind", kind: "text", valueOf: kindOf },
  { id: "event", label: "Event", kind: "text", valueOf: ({ event }) => textOf(event) },
  { id: "stage", label: "Stage", kind: "text", isWide: true, valueOf: ({ stage }) => textOf(stage) },
  { id: "failure", label: "On failure", kind: "text", isWide: true, valueOf: ({ onFailure }) => failureText(onFailure) },
  { id: "calls", label: "Calls", kind: "number", valueOf: (handler) => numbersOf(handler).calls },
  { id: "denied", label: "Denied", kind: "number", valueOf: (handler) => numbersOf(handler).denied },
  { id: "asked", label: "Asked", kind: "number", valueOf: (handler) => numbersOf(handler).asked },
  { id: "failed", label: "Failed", kind: "number", valueOf: (handler) => numbersOf(handler).failed },
  ...HANDLER_PERCENTILES.map(
    ({ field, label }): HandlerColumn => ({ id: label, label, kind: "number", valueOf: (handler) => numbersOf(handler).times[field] }),
  ),
  { id: "last", label: "Last fired", kind: "time", valueOf: ({ lastAt }) => lastAt },
  { id: "state", label: "State", kind: "text", valueOf: ({ health }) => textOf(health?.state ?? "active") },
];

/** A rule, a hook, or code in an agent's process. */
export function kindOf({ actor }: HandlerRow): string {
  return actor.kind === "rule" || actor.kind === "hook" ? actor.kind : "code";
}
