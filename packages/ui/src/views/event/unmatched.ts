import type { HandlerRow, PlacedEvent } from "../../api/answers.js";

export type Step = NonNullable<NonNullable<PlacedEvent["decision"]>["trail"]>[number];

/** What is registered now where an event was decided. */
export interface Registered {
  readonly inHub: readonly HandlerRow[];
  readonly inProcess: readonly HandlerRow[];
}

const MAX_LENGTH = 300;

/** What a handler wanted to see, as far as it can be told: an expression, or words. Nothing for a handler that is gone. */
export function wantedBy(step: Step, event: PlacedEvent, registered: Registered): { code?: string; words?: string } {
  const rows = isOfHub(step) ? registered.inHub : registered.inProcess;
  const named = rows.filter(({ name, owner }) => name === step.actor.name && owner === step.actor.owner);
  const row = named.find((one) => one.event === event.event) ?? named[0];
  if (row === undefined) return {};
  const isFunction = /^function( |$)/.test(row.match ?? "");
  const tools = row.tool === undefined ? [] : [`tool ${[row.tool].flat().join(", ")}`];
  const wanted = [...tools, ...(row.match === undefined || isFunction ? [] : [row.match])].join(" and ");
  return { ...(wanted !== "" && { code: cut(wanted) }), ...(isFunction && { words: "its matcher said no" }) };
}

export function isOfHub({ actor }: Step): boolean {
  return actor.at === "hub";
}

function cut(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
