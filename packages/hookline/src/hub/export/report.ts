import { findEvent } from "@hookline/core";
import { summarizePayload } from "@hookline/core/internal";
import { countText, inertHtml } from "@hookline/core/internal/text";
import type { PlacedEvent } from "../protocol.js";
import { htmlStart } from "./html.js";

const COLUMNS = ["Time", "Event", "Source", "Session", "Verdict", "What it is about", "Reason", "Event in full"];
const MAX_ABOUT = 2_000;
/** A flow of small events is written at once, so it is kept until then: no more of it than this. */
const MAX_FLOW = { events: 500, chars: 500_000 };

interface Head {
  readonly exportedAt: string;
  readonly filter: string;
}

export interface Report {
  readonly head: string;
  row(event: PlacedEvent): string;
  tail(count: number, isCut: boolean): string;
}

/** A page to read from top to bottom. Small events that follow each other, such as the words of a message, are one row that opens. */
export function openReport(about: Head): Report {
  let flow: PlacedEvent[] = [];
  let chars = 0;
  const flush = (): string => {
    const written = flow.length === 0 ? "" : rowOf(flow);
    flow = [];
    chars = 0;
    return written;
  };
  return {
    head: headOf(about),
    row(event) {
      const isNext = isSameFlow(flow.at(-1), event) && flow.length < MAX_FLOW.events && chars < MAX_FLOW.chars;
      const before = isNext ? "" : flush();
      flow.push(event);
      chars += JSON.stringify(event.payload ?? null).length;
      return before;
    },
    tail: (count, isCut) => flush() + tailOf(count, isCut),
  };
}

function isSameFlow(a: PlacedEvent | undefined, b: PlacedEvent): boolean {
  if (a === undefined || findEvent(b.event)?.spec.class !== "bulk" || a.damaged === true || b.damaged === true) return false;
  return a.event === b.event && a.session?.id === b.session?.id && a.source.app === b.source.app && a.host === b.host;
}

const CSS = `th { white-space: nowrap; }
td:first-child { white-space: nowrap; }
td:first-child, td:nth-child(3), td:nth-child(4) { font-size: .8rem; line-height: 1.65; }
td:nth-child(2) { min-width: 9.5rem; }
td:nth-child(3), td:nth-child(4) { min-width: 5rem; }
td:nth-child(6) { font-family: ui-monospace, monospace; white-space: pre-wrap; min-width: 15.5rem; }
td:nth-child(5) { min-width: 4.75rem; }
td:nth-child(7) { min-width: 6.5rem; }
td:last-child { min-width: 11.5rem; }
summary { font: .75rem/1.75 ui-monospace, monospace; word-break: break-all; }
code { overflow-wrap: anywhere; unicode-bidi: isolate; }
@media (max-width: 76rem) {
thead { display: none; }
tbody, tr, td { display: block; }
tr { border-bottom: 1px solid #8886; padding: .5rem 0; }
tr > td { border: 0; padding: 0; }
td:empty { display: none; }
}
tr.deny { border-left: 4px solid #d0453c; }
tr.ask, tr.rewritten { border-left: 4px solid #b07a1c; }
.damaged { font-weight: 600; }
pre { margin: .5rem 0; max-height: 30rem; overflow: auto; white-space: pre-wrap; unicode-bidi: isolate; }`;

function headOf({ exportedAt, filter }: Head): string {
  return `${htmlStart({ title: "Hookline report", heading: "Hookline report", css: CSS })}<p>Exported at <time>${inertHtml(exportedAt)}</time>, oldest first. ${filter === "" ? "All events: no filter was set." : `Filter: <code>${inertHtml(filter)}</code>`}</p>
<table>
<thead><tr>${COLUMNS.map((name) => `<th>${name}</th>`).join("")}</tr></thead>
<tbody>
`;
}

/** One event, or a flow of them. */
function rowOf(events: readonly PlacedEvent[]): string {
  const [event] = events as readonly [PlacedEvent];
  const { at, source, host, session, decision } = event;
  const why = [decision?.by, decision?.reason ?? decision?.cause].filter((text) => text !== undefined).join(": ");
  const name = events.length === 1 ? event.event : `${event.event} × ${events.length}`;
  const cells = [
    at,
    name,
    host === undefined ? source.app : `${source.app} on ${host}`,
    session?.id ?? "",
    verdictOf(event),
    aboutOf(events),
    why,
  ].map((text) => `<td>${inertHtml(text)}</td>`);
  return `<tr${classOf(event)}>${cells.join("")}<td>${wholeOf(events)}</td></tr>\n`;
}

function verdictOf({ decision, damaged }: PlacedEvent): string {
  if (damaged === true) return "damaged";
  return `${decision?.verdict ?? ""}${decision?.modified === true ? ", rewritten" : ""}`;
}

function classOf({ decision, damaged }: PlacedEvent): string {
  const verdict = decision?.verdict;
  if (damaged === true) return ' class="damaged"';
  if (verdict === "deny" || verdict === "ask") return ` class="${verdict}"`;
  return decision?.modified === true ? ' class="rewritten"' : "";
}

/** What it is about. The words of a flow stand together as the message that they are; a rewritten call has what the agent had asked for below it. */
function aboutOf(events: readonly PlacedEvent[]): string {
  const [{ damaged, decision, payload }] = events as readonly [PlacedEvent];
  if (damaged === true) return "The stored text of this event is damaged.";
  if (events.length > 1) return shortened(events.map((event) => summarizePayload(event.payload)).join(""));
  const asked = decision?.asked === undefined ? "" : `\ninstead of: ${shortened(summarizePayload(decision.asked))}`;
  return shortened(summarizePayload(payload)) + asked;
}

function shortened(text: string): string {
  return text.length > MAX_ABOUT ? `${text.slice(0, MAX_ABOUT)}…` : text;
}

function wholeOf(events: readonly PlacedEvent[]): string {
  const [first] = events as readonly [PlacedEvent];
  const name = events.length === 1 ? first.id : countText(events.length, "event");
  const texts = events.map((event) => `<pre tabindex="0">${inertHtml(JSON.stringify(event, undefined, 2))}</pre>`);
  return `<details><summary>${inertHtml(name)}</summary>${texts.join("")}</details>`;
}

function tailOf(count: number, isCut: boolean): string {
  const more = isCut ? " There are older ones: export them as JSONL, or choose fewer." : "";
  return `</tbody>\n</table>\n<p>${countText(count, "event")}.${more}</p>\n</main>\n</body>\n</html>\n`;
}
