import { upgradeEnvelope } from "@hookline/core/internal";
import { inertJson, inertText } from "@hookline/core/internal/text";
import type { DecisionSummary } from "@hookline/core/sinks";
import { HUB_APP } from "../../hub/ingest/own-source.js";
import { type EventAnswer, givenText, originText, type PlacedEvent } from "../../hub/protocol.js";
import type { Paint, Style } from "./paint.js";
import { pausedIn } from "./pause-text.js";
import { tableLines } from "./table.js";
import { dateText } from "./times.js";

// Without a prototype: any word may come from another process, "constructor" too.
const colours: { readonly [word: string]: Style } = Object.assign(Object.create(null), {
  deny: "red",
  failed: "red",
  ask: "yellow",
  allow: "green",
  modify: "magenta",
  paused: "yellow",
});

type Step = NonNullable<DecisionSummary["trail"]>[number];

/** Everything that is known about an event: its facts, decision, trail and payload. */
export function trailLines(answer: EventAnswer, paint: Paint): string[] {
  const event = upgradeEnvelope(answer.event);
  const { id, at, event: name, source, session, seq, hops, place, payload, decision } = event;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["id", id],
    ["time", `${at} (here ${dateText(Date.parse(at))})`],
    [
      "from",
      `${source.app}${source.pid > 0 ? `, process ${source.pid}` : ""} on ${source.host || "an unknown host"}, instance ${source.instance}`,
    ],
    ["came by", answer.origin && originText(answer.origin)],
    [
      "marked",
      answer.forAnother === true ? `its process connected as ${answer.origin?.app}, instance ${answer.origin?.instance}` : undefined,
    ],
    ["marked", answer.provedBy && `another process was first connected as this instance: ${originText(answer.provedBy)}`],
    ["says", answer.claimed === true ? `the process ${source.app} itself; the hub reports under ${HUB_APP}` : undefined],
    ["answered", answeredIn(payload)],
    ["session", session && `${session.id}${session.parentId === undefined ? "" : `, child of ${session.parentId}`}`],
    ["order", `number ${seq} of its instance, position ${place} in the store`],
    ["passed", hops.length > 1 ? hops.join(" → ") : undefined],
  ];
  return [
    paint("bold", inertText(name)),
    ...facts.flatMap(([label, text]) => (text === undefined ? [] : [`  ${paint("dim", label.padEnd(8))} ${inertText(text)}`])),
    ...decisionLines(event, paint),
    ...stepLines(event, paint),
    ...jsonLines("Payload", payload, paint),
    ...(decision?.asked === undefined ? [] : jsonLines("Original payload", decision.asked, paint)),
  ];
}

/** Of an answer to an approval: how, and by which process. */
function answeredIn(payload: unknown): string | undefined {
  const { approval } = Object(payload) as { readonly approval?: { readonly given?: unknown } | null };
  return givenText(approval?.given);
}

function jsonLines(title: string, value: unknown, paint: Paint): string[] {
  const lines = inertJson(JSON.stringify(value, undefined, 2)).split("\n");
  return ["", paint("bold", title), ...lines.map((line) => `  ${line}`)];
}

function decisionLines({ decision }: PlacedEvent, paint: Paint): string[] {
  if (decision === undefined) return [];
  const { verdict, by, reason, cause, modified, endLoop } = decision;
  const facts = [
    by && `by ${by}`,
    reason,
    cause && `because of ${cause}`,
    modified && "payload rewritten",
    endLoop && "ends the loop",
    pausedIn(decision),
  ];
  const said = facts.filter((fact) => typeof fact === "string" && fact !== "").join(", ");
  return [
    "",
    `${paint("bold", "Verdict")}  ${paint(colours[verdict] ?? "dim", inertText(verdict))}${said === "" ? "" : `  ${inertText(said)}`}`,
  ];
}

function stepLines({ decision }: PlacedEvent, paint: Paint): string[] {
  if (decision === undefined) return [];
  const { trail = [] } = decision;
  const empty = "empty: no handler was registered for it, or the agent did not record the handlers";
  if (trail.length === 0) return ["", `${paint("bold", "Trail")}    ${paint("dim", empty)}`];
  const [heading = "", ...rows] = tableLines(["ACTOR", "KIND", "STAGE", "ROUND", "SAID", "TOOK", "WHY"], trail.map(cellsOf));
  return ["", paint("bold", "Trail"), paint("dim", `  ${heading}`), ...rows.map((row, index) => `  ${painted(row, trail[index], paint)}`)];
}

function cellsOf({ actor, stage, round, action, reason, failure, durationMs }: Step): string[] {
  const { kind, at } = actor;
  const name = actor.owner === undefined ? actor.name : `${actor.owner}/${actor.name}`;
  const who = at === undefined ? name : `${at}: ${name}`;
  const why = [failure, reason ?? (action === "no-match" ? "its match does not cover this payload" : undefined)];
  const took = durationMs === undefined ? "-" : tookText(durationMs);
  return [who, kind, stage, String(round), action, took, why.filter((part) => part !== undefined).join(": ")];
}

function tookText(ms: number): string {
  return ms < 1 ? `${Math.round(ms * 1000)} µs` : `${ms.toFixed(1)} ms`;
}

function painted(row: string, step: Step | undefined, paint: Paint): string {
  const style = colours[step?.action ?? ""];
  return style === undefined ? row : paint(style, row);
}
