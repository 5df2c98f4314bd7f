import { isMadeOfOutcomes } from "../bus/answers.js";
import { findVerdictKey, isPlainShape } from "../bus/plain-shape.js";
import { resolveEvent } from "../catalog/names.js";
import { isOutcome } from "../catalog/outcomes.js";
import { contents, wordContents, wordings } from "../catalog/wordings.js";
import { copyJsonSafe } from "../text/json-safe.js";
import type { Redactor } from "./redact.js";

/** What a value belongs to. */
export interface Whence {
  readonly name: string;
  readonly payload: unknown;
}

/** A handler's answer for the record: the payloads, inputs and values in it are redacted like those of the event. */
export function redactAnswer(redactor: Redactor, event: Whence, answer: unknown): unknown {
  const isTransform = resolveEvent(event.name).spec.kind === "transform";
  if (claimsToAnswer(answer, isTransform)) return hideParts(redactor.data(answer), redactor, event);
  return isTransform ? redactValue(redactor, event, answer) : redactAccident(redactor, answer);
}

/** The value of a transform, or one that is to replace it. */
export function redactValue(redactor: Redactor, event: Whence, value: unknown): unknown {
  return redactor.part(event.payload, event.name === "tool:result" ? ["tool", "output"] : ["value"], value);
}

function claimsToAnswer(answer: unknown, isTransform: boolean): boolean {
  const isShape = (part: unknown): boolean => isPlainShape(part) || (!isTransform && saysInOtherWords(part));
  try {
    if (Array.isArray(answer)) return answer.some((part) => isOutcome(part) || isShape(part));
    return isMadeOfOutcomes(answer) || isShape(answer);
  } catch {
    return false;
  }
}

function saysInOtherWords(part: unknown): boolean {
  if (typeof part !== "object" || part === null) return false;
  return findVerdictKey(part) !== undefined || Object.keys(contents).some((key) => Object.hasOwn(part, key));
}

function hideParts(part: unknown, redactor: Redactor, event: Whence): unknown {
  if (Array.isArray(part)) return part.map((item) => hideParts(item, redactor, event));
  if (typeof part !== "object" || part === null) return part;
  const places = placesIn(part as Fields);
  const members = Object.entries(part).map(([key, member]) => [key, hideMember(places[key], member, redactor, event)]);
  return Object.fromEntries(members);
}

type Fields = { readonly [key: string]: unknown };
type Place = "payload" | "input" | "value" | "answer";

/** What stands under which key: `{ args }`, `{ kind: "modify", value }`, `{ action: "modify", input }`. */
function placesIn(part: Fields): { readonly [key: string]: Place | undefined } {
  const words = Object.keys(wordings).map((key) => part[key]);
  const content = Object.entries(wordContents).filter(([word]) => words.includes(word));
  const named = content.flatMap(([, keys]) => Object.entries(keys).map(([key, as]) => [key, as === "output" ? "value" : as]));
  const nested = Object.entries(part).flatMap(([key, member]) => (typeof member === "object" ? [[key, "answer"]] : []));
  return Object.fromEntries([...nested, ...Object.entries(contents), ...named]);
}

function hideMember(place: Place | undefined, member: unknown, redactor: Redactor, event: Whence): unknown {
  if (place === "payload") return redactor.payload(member);
  if (place === "input") return redactor.part(event.payload, ["tool", "input"], member);
  if (place === "value") return redactValue(redactor, event, member);
  return place === "answer" ? hideParts(member, redactor, event) : member;
}

// An observer may return anything. If it returns its event, the record would otherwise hold the whole bus.
const ACCIDENT = { maxDepth: 8, maxNodes: 1_000 };

/** The value may be or hold the payload, so it is redacted like one. */
function redactAccident(redactor: Redactor, answer: unknown): unknown {
  const copy = redactor.data(copyJsonSafe(answer, ACCIDENT));
  if (typeof copy !== "object" || copy === null) return copy;
  const { payload } = copy as { readonly payload?: unknown };
  return redactor.payload(payload === undefined ? copy : { ...copy, payload: redactor.payload(payload) });
}
