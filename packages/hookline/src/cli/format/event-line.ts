import { inertJson } from "@hookline/core/internal/text";
import type { PlacedEvent } from "../../hub/protocol.js";
import type { Terminal } from "../terminal.js";
import { humanLine } from "./human-event.js";
import { logfmtLine } from "./logfmt.js";

export const EVENT_FORMATS = ["human", "json", "logfmt"] as const;
export type EventFormat = (typeof EVENT_FORMATS)[number];

/** An event as one line in the wanted form. */
export function eventLine(event: PlacedEvent, format: EventFormat, { paint, columns }: Terminal): string {
  if (format === "logfmt") return logfmtLine(event);
  if (format === "human") return humanLine(event, { paint, columns });
  const { place: _, ...envelope } = event;
  return inertJson(JSON.stringify(envelope));
}
