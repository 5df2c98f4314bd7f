import { isDeepStrictEqual } from "node:util";
import { block, findEvent, HookError, type Outcome, type PlainAnswer } from "@hookline/core";
import { isOutcome, readOutcomes, resolveEvent } from "@hookline/core/internal";
import { deriveSource } from "../derive-source.js";
import { failureModeOf } from "../guards-of.js";
import type { OwnedSource, SourceAnswer } from "../handler-source.js";

/** In a transform, an object with one of these keys is an answer. Any other object is the new value. */
const ANSWER_KEYS = ["decision", "block", "deny", "modify", "args", "result", "inject", "reminder", "then", "effects", "reason"];
const ALLOW = "allow";
const REWRITE = "rewrite";

/**
 * A source that may tighten and never loosen: an allow of a project's hook counts as no opinion. If it rewrites a call, the call is denied:
 * unchanged it must not run, and changed it might undo a rule of the user. `onRefused` is called once for each of the two. Its answer is
 * read once, so an answer that changes between two reads cannot cheat.
 */
export function tighteningOnly(source: OwnedSource, onRefused: (what: string) => void = () => {}): OwnedSource {
  const told = new Set<string>();
  const refuse = (what: string): void => {
    if (!told.has(what)) onRefused(what);
    told.add(what);
  };
  return deriveSource(source, {
    async handle(event, hook) {
      const answer = await source.handle(event, hook);
      const isValue = findEvent(event.name)?.spec.kind === "transform" && isNewValue(answer);
      if (isValue) refuse(REWRITE);
      const parts = isValue ? [] : readOutcomes(answer);
      const isReplaced = isValue || (findEvent(event.name)?.spec.kind === "transform" && parts.some((part) => loosens(part) === REWRITE));
      // It tried to hide something. Unchanged, the value must not be seen; changed, it might deceive the model.
      if (isReplaced && hook !== undefined && failureModeOf(hook) === "closed") {
        refuse(REWRITE);
        throw new HookError("HL_RULE_LOOSENS", `The project's hook "${source.name}" may not replace a value; only your own hooks may.`);
      }
      const kept = tightened(parts, refuse);
      const isRewritten = parts.some((part) => loosens(part) === REWRITE && isChange(part, event.payload));
      if (isRewritten && canBlock(event.name) && !kept.some(isNo)) return denial(source.name) as SourceAnswer;
      return kept.length === 0 ? undefined : (kept as unknown as SourceAnswer);
    },
  });
}

type Part = ReturnType<typeof readOutcomes>[number];

/** The same answer without its allow and its rewrite. */
function tightened(parts: readonly Part[], refuse: (what: string) => void): Part[] {
  return parts.filter((part) => {
    const what = loosens(part);
    if (what !== undefined) refuse(what);
    return what === undefined;
  });
}

function denial(name: string): Outcome {
  return block(`The project's hook "${name}" tried to rewrite this call, which only your own hooks may do, so the call is denied.`);
}

function isNo(part: Part): boolean {
  return part instanceof HookError || (isOutcome(part) && part.kind === "block");
}

function canBlock(event: string): boolean {
  return resolveEvent(event).spec.outcomes.includes("block");
}

/** A rewrite that changes nothing is allowed. */
function isChange(part: Part, payload: unknown): boolean {
  const { tool } = Object(payload) as { readonly tool?: { readonly input?: unknown } };
  if (isOutcome(part)) return part.kind !== "modify" || !isDeepStrictEqual(part.value, payload);
  return !isDeepStrictEqual((part as { readonly args?: unknown }).args, tool?.input);
}

function loosens(part: Part): string | undefined {
  if (part instanceof HookError) return undefined;
  // Of the plain shapes, only `args` remains after an answer has been read.
  if (!isOutcome(part)) return REWRITE;
  if (part.kind === "allow") return ALLOW;
  return part.kind === "modify" || part.kind === "replace" ? REWRITE : undefined;
}

/** In a transform, any value that is not an answer is the new value. */
function isNewValue(answer: SourceAnswer): boolean {
  if (answer === undefined || answer === null || isOutcome(answer)) return false;
  if (Array.isArray(answer)) return answer.length === 0 || !answer.every(isOutcome);
  return typeof answer !== "object" || !ANSWER_KEYS.some((key) => key in (answer as PlainAnswer));
}
