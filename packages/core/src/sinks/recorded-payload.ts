import type { HookEvent, TapDispatch } from "../bus/types.js";
import type { DecisionStep } from "../catalog/envelope.js";
import { stepsOf } from "../wire/decision-summary.js";

/** What became of the value of a transform, in the payload of its event. */
interface TransformRecord {
  readonly isReplaced: boolean;
  readonly isWithheld?: true;
  /** The handlers that were called. */
  readonly trail: readonly DecisionStep[];
}

/**
 * The payload of an event as it is recorded: after every rewrite. That of a transform says which handlers were called, under `transform`, and
 * that of `tool:result` has the output as it went on: what a handler took out of it must not be kept either.
 */
export function recordedPayload({ name, payload }: HookEvent, { decision, result }: TapDispatch): unknown {
  if (decision !== undefined) return decision.payload;
  if (result === undefined || !isRecord(payload)) return payload;
  const trail = stepsOf(result.trail).filter(({ action }) => action !== "no-match" && action !== "not-reached");
  if (trail.length === 0) return payload;
  const isReplaced = result.isWithheld || trail.some(({ action }) => action === "replace");
  const transform: TransformRecord = { isReplaced, ...(result.isWithheld && { isWithheld: true }), trail };
  const recorded = { ...payload, transform };
  return isReplaced && name === "tool:result" ? withOutput(recorded, result.value) : recorded;
}

function withOutput(payload: Fields, output: unknown): Fields {
  const { tool } = payload;
  return isRecord(tool) ? { ...payload, tool: { ...tool, output } } : payload;
}

type Fields = { readonly [key: string]: unknown };

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
