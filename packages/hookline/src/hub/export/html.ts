import type { PlacedEvent } from "../protocol.js";
import { toolIn } from "../store/row.js";

/** A page of its own that loads nothing and runs nothing, whatever is in the events. */
export function htmlHead(exportedAt: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Hookline events</title>
<style>
body { font: 14px/1.5 system-ui, sans-serif; margin: 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #8886; padding: .25rem .5rem; text-align: left; vertical-align: top; overflow-wrap: anywhere; unicode-bidi: isolate; }
pre { margin: .5rem 0; max-height: 30rem; overflow: auto; white-space: pre-wrap; unicode-bidi: isolate; }
</style>
</head>
<body>
<main>
<h1>Hookline events</h1>
<p>Exported at ${escaped(exportedAt)}, newest first.</p>
<table>
<thead><tr><th>Time</th><th>Event</th><th>Source</th><th>Session</th><th>Tool</th><th>Verdict</th><th>Event in full</th></tr></thead>
<tbody>
`;
}

export function htmlRow(event: PlacedEvent): string {
  const { at, source, session, decision, payload } = event;
  const verdict = [decision?.verdict, decision?.by].filter((text) => text !== undefined).join(" by ");
  const cells = [at, event.event, source.app, session?.id ?? "", toolIn(payload) ?? "", verdict].map((text) => `<td>${escaped(text)}</td>`);
  const whole = `<td><details><summary>${escaped(event.id)}</summary><pre tabindex="0">${escaped(JSON.stringify(event, undefined, 2))}</pre></details></td>`;
  return `<tr>${cells.join("")}${whole}</tr>\n`;
}

export function htmlTail(count: number, isCut: boolean): string {
  const more = isCut ? " There are more: export them as JSONL, or choose fewer." : "";
  return `</tbody>\n</table>\n<p>${count} events.${more}</p>\n</main>\n</body>\n</html>\n`;
}

const ENTITIES: { readonly [sign: string]: string } = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Also what would turn the direction of writing, or hide: shown as what it is. */
function escaped(text: string): string {
  return text
    .replace(/[&<>"']/g, (sign) => ENTITIES[sign] as string)
    .replace(/(?![\t\n])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, visible);
}

function visible(sign: string): string {
  return `\\u${(sign.codePointAt(0) as number).toString(16).padStart(4, "0")}`;
}
