import { findEvent } from "../../../core/src/catalog/names.js";
import type { PlacedEvent } from "../api/answers.js";
import { durationText } from "../text/amounts.js";
import { summaryOf } from "../text/event-summary.js";
import { inert } from "../text/inert.js";

/** An event as the feed keeps it. Payloads may be large and many: who wants one asks the hub again. */
export interface FeedRow {
  readonly place: number;
  readonly id: string;
  readonly at: number;
  readonly event: string;
  readonly app: string;
  /** The host of the fleet that sent it. */
  readonly host: string;
  readonly session: string;
  readonly verdict: string;
  readonly isModified: boolean;
  readonly detail: string;
  readonly why: string;
  readonly isBulk: boolean;
  /** From a session file of the agent. */
  readonly isImported: boolean;
  /** Its stored text is lost. */
  readonly isDamaged: boolean;
  /** How many events of a flow stand in this one row. */
  readonly count: number;
  /** The call that it is about, also of an approval; empty for other events. */
  readonly call: string;
  /** Of the end of a call: what came of it. */
  readonly outcome: string;
}

const MAX_LENGTH = 400;

export function toRow({ place, id, at, event, source, session, decision, payload, imported, damaged, host = "" }: PlacedEvent): FeedRow {
  return {
    place,
    id,
    at: Date.parse(at),
    event: inert(event),
    app: inert(source.app),
    host: inert(host),
    session: session?.id ?? "",
    verdict: decision?.verdict ?? "",
    isModified: decision?.modified === true,
    detail: inert(summaryOf(payload)),
    why: inert([decision?.by, decision?.reason ?? decision?.cause].filter((part) => part !== undefined).join(": ")).slice(0, MAX_LENGTH),
    isBulk: findEvent(event)?.spec.class === "bulk",
    isImported: imported === true,
    isDamaged: damaged === true,
    count: 1,
    ...callOf(id, session?.id, payload),
  };
}

type Fields = { readonly [field: string]: unknown };

/** Agents that give a call no id have no way to say which end belongs to which beginning. */
function callOf(id: string, session: string | undefined, payload: unknown): Pick<FeedRow, "call" | "outcome"> {
  const { tool, approval, status } = (payload ?? {}) as { readonly tool?: Fields; readonly approval?: Fields; readonly status?: unknown };
  const asked = (approval?.payload as { readonly tool?: Fields } | undefined)?.tool;
  const { callId, durationMs } = tool ?? asked ?? {};
  if (typeof callId !== "string")
    return { call: typeof approval?.eventId === "string" ? approval.eventId : tool === undefined ? "" : id, outcome: "" };
  const lasted = typeof durationMs === "number" && status !== "blocked" ? ` in ${durationText(durationMs)}` : "";
  return { call: `${session ?? ""}\n${callId}`, outcome: typeof status === "string" ? `${inert(status)}${lasted}` : "" };
}

/** Rows in the order of their places, with each flow of small events (words as they are written) as one row, below rows that are folded already. */
export function foldFlows(rows: readonly FeedRow[], above: readonly FeedRow[] = []): readonly FeedRow[] {
  const folded = [...above];
  for (const row of rows) {
    const before = folded.at(-1);
    if (before !== undefined && isSameFlow(before, row)) folded[folded.length - 1] = joined(before, row);
    else folded.push(row);
  }
  return folded;
}

function isSameFlow(a: FeedRow, b: FeedRow): boolean {
  return b.isBulk && !a.isDamaged && !b.isDamaged && a.event === b.event && a.session === b.session && a.app === b.app && a.host === b.host;
}

/** It keeps the first one's id, so that it stays the same row while it grows. */
function joined(before: FeedRow, row: FeedRow): FeedRow {
  return {
    ...before,
    count: before.count + row.count,
    detail: before.detail.length < MAX_LENGTH ? before.detail + row.detail : before.detail,
  };
}
