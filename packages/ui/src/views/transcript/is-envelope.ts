import type { PlacedEvent } from "../../api/answers.js";
import { type Fields, isFields } from "../../text/fields.js";

/** Whether all that is shown of an envelope has its type; the file may be anybody's. */
export function isEnvelope(value: unknown): value is Omit<PlacedEvent, "place"> {
  return (
    isFields(value) &&
    value.v === 1 &&
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
    areTexts(value, "handler", "stage", "action") &&
    mayBeTexts(value, "owner", "reason", "failure", "at") &&
    isCount(value.round) &&
    (value.durationMs === undefined || typeof value.durationMs === "number")
  );
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
