import { isMadeOfOutcomes, isPlainShape } from "../bus/answers.js";
import { copyJsonSafe } from "../catalog/json-safe.js";
import { resolveEvent } from "../catalog/names.js";
import { isOutcome } from "../catalog/outcomes.js";
import type { Redactor } from "./redact.js";

/** What a value belongs to. */
export interface Whence {
  readonly name: string;
  readonly payload: unknown;
}

/** A handler's answer for the record: the payloads, inputs and values in it are redacted like those of the event. */
export function redactAnswer(redactor: Redactor, event: Whence, answer: unknown): unknown {
  if (claimsToAnswer(answer)) return hideParts(redactor.data(answer), redactor, event);
  if (resolveEvent(event.name).spec.kind === "transform") return redactValue(redactor, event, answer);
  return redactAccident(redactor, answer);
}

/** The value of a transform, or one that is to replace it. */
export function redactValue(redactor: Redactor, event: Whence, value: unknown): unknown {
  return redactor.part(event.payload, event.name === "tool:result" ? ["tool", "output"] : ["value"], value);
}

function claimsToAnswer(answer: unknown): boolean {
  try {
    if (Array.isArray(answer)) return answer.some((part) => isOutcome(part) || isPlainShape(part));
    return isMadeOfOutcomes(answer) || isPlainShape(answer);
  } catch {
    return false;
  }
}

function hideParts(part: unknown, redactor: Redactor, event: Whence): unknown {
  if (Array.isArray(part)) return part.map((item) => hideParts(item, redactor, event));
  if (typeof part !== "object" || part === null) return part;
  const { kind } = part as { readonly kind?: unknown };
  const members = Object.entries(part).map(([key, member]) => [key, hideMember(kind, key, member, redactor, event)]);
  return Object.fromEntries(members);
}

function hideMember(kind: unknown, key: string, member: unknown, redactor: Redactor, event: Whence): unknown {
  if (key === "modify" || (key === "value" && kind === "modify")) return redactor.payload(member);
  if (key === "args") return redactor.part(event.payload, ["tool", "input"], member);
  if (key === "result" || (key === "value" && (kind === "replace" || kind === "handled"))) return redactValue(redactor, event, member);
  return key === "then" || key === "effects" ? hideParts(member, redactor, event) : member;
}

// Observers return all sorts of things: one that returns its event would otherwise put the whole bus on the tape.
const ACCIDENT = { maxDepth: 8, maxNodes: 1_000 };

/** May be, or hold, the payload: whatever it is, it is redacted as one. */
function redactAccident(redactor: Redactor, answer: unknown): unknown {
  const copy = redactor.data(copyJsonSafe(answer, ACCIDENT));
  if (typeof copy !== "object" || copy === null) return copy;
  const { payload } = copy as { readonly payload?: unknown };
  return redactor.payload(payload === undefined ? copy : { ...copy, payload: redactor.payload(payload) });
}
