import type { PlacedEvent } from "../../api/answers.js";
import { type Fields, isFields } from "../../text/fields.js";
import { createAssembly } from "./assemble-entries.js";

export interface ReadFile {
  readonly events: readonly PlacedEvent[];
  /** In what lines each event stands, or, in a transcript, in which entries, by its place less one. */
  readonly numbers: readonly (readonly number[])[];
  /** Lines of a transcript: each event takes several, and two are of none. */
  readonly entries: number;
  /** Lines that are neither envelopes nor entries of a transcript. */
  readonly unread: number;
}

export interface Reader {
  /** A line of the file; gives what stands in it. */
  add(line: string): unknown;
  result(): ReadFile;
}

/** Events of a file with one JSON object a line: envelopes, or the entries of a transcript, which are put together to events. */
export function createReader(): Reader {
  const events: PlacedEvent[] = [];
  const assembly = createAssembly();
  const numbers: number[][] = [];
  let lines = 0;
  let unread = 0;
  return {
    add(line) {
      const value = parsed(line);
      lines++;
      if (isEnvelope(value)) {
        events.push({ ...value, place: events.length + 1 });
        numbers.push([lines]);
      } else if (!isFields(value) || !assembly.add(value, lines)) unread++;
      return value;
    },
    result: () => ({
      events: [...events, ...assembly.events(events.length)],
      numbers: [...numbers, ...assembly.numbers()],
      entries: lines - events.length - unread,
      unread,
    }),
  };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Whether every shown field of an envelope has its type. The file may come from anywhere. */
export function isEnvelope(value: unknown): value is Omit<PlacedEvent, "place"> {
  return (
    isFields(value) &&
    (value.v === 1 || value.v === 2) &&
    areTexts(value, "id", "event") &&
    typeof value.at === "string" &&
    !Number.isNaN(Date.parse(value.at)) &&
    isCount(value.seq) &&
    isFields(value.source) &&
    areTexts(value.source, "app", "host", "instance") &&
    isCount(value.source.pid) &&
    (value.session === undefined || (isFields(value.session) && areTexts(value.session, "id"))) &&
    (value.decision === undefined || isDecision(value.decision))
  );
}

function isDecision(value: unknown): boolean {
  if (!isFields(value) || !areTexts(value, "verdict") || !mayBeTexts(value, "by", "reason", "cause")) return false;
  return value.trail === undefined || (Array.isArray(value.trail) && value.trail.every(isStep));
}

function isStep(value: unknown): boolean {
  return (
    isFields(value) &&
    (isActor(value.actor) || (areTexts(value, "handler") && mayBeTexts(value, "owner", "at"))) &&
    areTexts(value, "stage", "action") &&
    mayBeTexts(value, "reason", "failure") &&
    isCount(value.round) &&
    (value.durationMs === undefined || typeof value.durationMs === "number")
  );
}

function isActor(value: unknown): boolean {
  return isFields(value) && areTexts(value, "kind", "name") && mayBeTexts(value, "owner", "at");
}

function areTexts(value: Fields, ...keys: readonly string[]): boolean {
  return keys.every((key) => typeof value[key] === "string");
}

function mayBeTexts(value: Fields, ...keys: readonly string[]): boolean {
  return keys.every((key) => value[key] === undefined || typeof value[key] === "string");
}

function isCount(value: unknown): boolean {
  return typeof value === "number" && value >= 0;
}
