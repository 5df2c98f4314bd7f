import { summarizePayload } from "@hookline/core/internal";
import { inertJson, inertText } from "@hookline/core/internal/text";
import type { Envelope } from "@hookline/core/sinks";
import type { PlacedEvent } from "../../hub/protocol.js";
import type { Terminal } from "../terminal.js";
import { cutTo, displayWidth, padTo } from "./display-width.js";
import type { Paint, Style } from "./paint.js";
import { pausedIn } from "./pause-text.js";
import { timeText } from "./times.js";

export const EVENT_FORMATS = ["human", "json", "logfmt"] as const;
export type EventFormat = (typeof EVENT_FORMATS)[number];

/** An event as one line in the given format. */
export function eventLine(event: PlacedEvent, format: EventFormat, { paint, columns }: Terminal): string {
  if (format === "logfmt") return logfmtLine(event);
  if (format === "human") return humanLine(event, { paint, columns });
  const { place: _, ...envelope } = event;
  return inertJson(JSON.stringify(envelope));
}

const MAX_LENGTH = 2_000;

/** A summary of an event on one line; not yet inert. */
export function detailOf({ event, payload }: Pick<Envelope, "event" | "payload">): string {
  const text = summarizePayload(payload).slice(0, MAX_LENGTH);
  // A delta is part of a sentence, so the spaces at its ends matter.
  return event === "message:delta" ? JSON.stringify(text) : text;
}

/** An event that may come from a host of the fleet. */
type HostedEnvelope = Envelope & Pick<PlacedEvent, "host">;

const BARE = /^[\w.:/@+-]+$/;

/** An event as `key=value` pairs. */
export function logfmtLine(envelope: HostedEnvelope): string {
  const { at, id, event, host, source, session, decision } = envelope;
  const pairs: readonly (readonly [string, string | number | undefined])[] = [
    ["time", at],
    ["id", id],
    ["event", event],
    ["host", host],
    ["app", source.app],
    ["pid", source.pid],
    ["session", session?.id],
    ["parent", session?.parentId],
    ["verdict", decision?.verdict],
    ["by", decision?.by],
    ["reason", decision?.reason],
    ["cause", decision?.cause],
    ["rewritten", decision?.modified === true ? "true" : undefined],
    ["detail", detailOf(envelope) || undefined],
  ];
  return pairs.flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${quoted(String(value))}`])).join(" ");
}

function quoted(value: string): string {
  return BARE.test(value) ? value : inertJson(JSON.stringify(value));
}

const colours: { readonly [verdict: string]: Style } = { deny: "red", ask: "yellow", allow: "green", pass: "dim" };
/** The first nine characters of an id are the time in milliseconds, the next ones its process. */
const WIDE = { id: 11, source: 12, session: 8, event: 18, verdict: 5 };
const NARROW = { id: 9, source: 6, session: 0, event: 14, verdict: 5 };
const ENOUGH_COLUMNS = 100;

interface Look {
  readonly paint: Paint;
  readonly columns: number;
}

/** An event on one line: time, beginning of its id, host in a fleet, program, session, event, verdict, summary, reason. */
export function humanLine(envelope: HostedEnvelope, { paint, columns }: Look): string {
  const { at, id, host, source, session, event, decision } = envelope;
  const isNarrow = columns < ENOUGH_COLUMNS;
  const widths = isNarrow ? NARROW : WIDE;
  const time = timeText(Date.parse(at), { isShort: isNarrow });
  const verdict = decision?.verdict ?? "";
  const head = [
    paint("dim", time),
    paint("dim", column(id.slice(0, widths.id), widths.id)),
    ...(host === undefined ? [] : [paint("blue", column(host, widths.source))]),
    paint("cyan", column(source.app, widths.source)),
    ...(isNarrow ? [] : [paint("dim", column((session?.id ?? "-").slice(0, widths.session), widths.session))]),
    column(event, widths.event),
    paint(colours[verdict] ?? "dim", column(verdict, widths.verdict)),
  ];
  const hostWidth = host === undefined ? 0 : widths.source + 1;
  const used = Object.values(widths).reduce((sum, width) => sum + (width === 0 ? 0 : width + 1), time.length + 1 + hostWidth);
  return `${head.join(" ")} ${about(envelope, { paint, columns: columns - used })}`.trimEnd();
}

/** The summary and the reason. If there is not enough space for both, each gets half. */
function about(envelope: Envelope, { paint, columns }: Look): string {
  const detail = inertText(detailOf(envelope));
  const why = whyText(envelope);
  if (why === "") return cutTo(detail, columns);
  const shownWhy = cutTo(why, Math.max(columns - displayWidth(detail) - 2, Math.floor(columns / 2) - 1));
  const shown = cutTo(detail, columns - displayWidth(shownWhy) - 2);
  return `${shown}  ${paint(colours[envelope.decision?.verdict ?? ""] ?? "dim", shownWhy)}`;
}

/** The actor that decided, and its reason. */
function whyText({ decision }: Envelope): string {
  if (decision === undefined) return "";
  const { by, reason, modified, cause } = decision;
  const paused = pausedIn(decision);
  if (paused !== undefined && reason === undefined) return inertText(`paused: ${paused}`);
  const said = [by, reason ?? cause].filter((part) => part !== undefined).join(": ");
  return inertText([modified ? "rewritten" : "", said].filter((part) => part !== "").join(", "));
}

function column(text: string, width: number): string {
  return padTo(cutTo(inertText(text), width), width);
}
