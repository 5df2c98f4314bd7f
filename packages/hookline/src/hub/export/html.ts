import { summarizePayload } from "@hookline/core/internal";
import { inertHtml } from "@hookline/core/internal/text";
import type { PlacedEvent } from "../protocol.js";

const COLUMNS = ["Time", "Event", "Source", "Session", "Verdict", "What it is about", "Reason", "Event in full"];
const MAX_ABOUT = 2_000;

interface Head {
  readonly exportedAt: string;
  readonly filter: string;
}

/** The beginning of a page of its own, up to its heading. It loads nothing and runs nothing, whatever follows. */
export function htmlStart({ title, heading, css }: { readonly title: string; readonly heading: string; readonly css: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${inertHtml(title)}</title>
<style>
body { font: 14px/1.5 system-ui, sans-serif; margin: 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #8886; padding: .25rem .5rem; text-align: left; vertical-align: top; overflow-wrap: anywhere; unicode-bidi: isolate; }
${css}
</style>
</head>
<body>
<main>
<h1>${inertHtml(heading)}</h1>
`;
}

const CSS = `th { white-space: nowrap; }
td:nth-child(-n + 4) { min-width: 5rem; }
td:first-child { white-space: nowrap; }
td:nth-child(6) { font-family: ui-monospace, monospace; white-space: pre-wrap; min-width: 12rem; }
td:nth-child(7) { min-width: 10rem; }
code { overflow-wrap: anywhere; unicode-bidi: isolate; }
@media (max-width: 70rem) {
thead { display: none; }
tbody, tr, td { display: block; }
tr { border-bottom: 1px solid #8886; padding: .5rem 0; }
tr > td { border: 0; padding: 0; }
td:empty { display: none; }
}
pre { margin: .5rem 0; max-height: 30rem; overflow: auto; white-space: pre-wrap; unicode-bidi: isolate; }`;

export function htmlHead({ exportedAt, filter }: Head): string {
  return `${htmlStart({ title: "Hookline events", heading: "Hookline events", css: CSS })}<p>Exported at <time>${inertHtml(exportedAt)}</time>, newest first. ${filter === "" ? "All events: no filter was set." : `Filter: <code>${inertHtml(filter)}</code>`}</p>
<table>
<thead><tr>${COLUMNS.map((name) => `<th>${name}</th>`).join("")}</tr></thead>
<tbody>
`;
}

export function htmlRow(event: PlacedEvent): string {
  const { at, source, host, session, decision, payload } = event;
  const why = [decision?.by, decision?.reason ?? decision?.cause].filter((text) => text !== undefined).join(": ");
  const about = summarizePayload(payload);
  const cells = [
    at,
    event.event,
    host === undefined ? source.app : `${source.app} on ${host}`,
    session?.id ?? "",
    decision?.verdict ?? "",
    about.length > MAX_ABOUT ? `${about.slice(0, MAX_ABOUT)}…` : about,
    why,
  ].map((text) => `<td>${inertHtml(text)}</td>`);
  const whole = `<td><details><summary>${inertHtml(event.id)}</summary><pre tabindex="0">${inertHtml(JSON.stringify(event, undefined, 2))}</pre></details></td>`;
  return `<tr>${cells.join("")}${whole}</tr>\n`;
}

export function htmlTail(count: number, isCut: boolean): string {
  const more = isCut ? " There are more: export them as JSONL, or choose fewer." : "";
  return `</tbody>\n</table>\n<p>${count} events.${more}</p>\n</main>\n</body>\n</html>\n`;
}
