import { HookError } from "../catalog/errors.js";
import type { Answer } from "./answer.js";
import { asHookError, messageOf, shown, typeName } from "./describe-error.js";
import { type JudgedParts, judge } from "./judged-parts.js";

// A rewrite that renames the tool would walk past the guards of the tool that then runs.
const IDENTITY = ["name", "runtimeName", "callId"] as const;
// What an event is about. A rewrite may say other things here; one that says nothing, such as `modify({ prompt })`, means the same.
const ABOUT = ["session", "turn", "agent", "worker"] as const;

type Rewrite = NonNullable<Answer["rewrite"]>;

/** What a rewrite has made of the payload. */
export interface Rewritten {
  readonly payload: unknown;
  readonly parts?: JudgedParts | undefined;
}

/**
 * The payload a rewrite asks for, or the `HL_BAD_MODIFY` error that says why it is not one. Where payloads are copied, so is the content of the
 * rewrite, before it is looked at: it could say another thing at the second look.
 */
export function rewritten(current: unknown, rewrite: Rewrite, isCopied: boolean): Rewritten | HookError {
  if (!isCopied) return payloadOf(current, rewrite);
  try {
    const { value } = rewrite;
    const copied = typeof value === "object" && value !== null ? { ...rewrite, value: judge(value).payload } : rewrite;
    const result = payloadOf(current, copied);
    return result instanceof HookError ? result : judge(result.payload as object);
  } catch (error) {
    return malformed(`the new payload ${messageOf(error)}`);
  }
}

function payloadOf(current: unknown, rewrite: Rewrite): Rewritten | HookError {
  try {
    return {
      payload: rewrite.as === "input" ? withInput(current, rewrite.value) : withAbout(current, withIdentity(current, rewrite.value)),
    };
  } catch (error) {
    return asHookError(error) ?? malformed(`the new payload cannot be read: ${messageOf(error)}`);
  }
}

function withInput(current: unknown, input: unknown): unknown {
  const tool = toolOf(current);
  if (tool === undefined) throw malformed(`"args" rewrites a tool's input, and this payload has no tool`);
  if (input === undefined || input === null || typeof input === "function")
    throw malformed(`"args" must be the tool's new input, not ${typeName(input)}`);
  checkKind(tool.input, input);
  return { ...(current as object), tool: { ...tool, input } };
}

function withAbout(current: unknown, payload: object): object {
  const before = current as Record<string, unknown>;
  const lost = ABOUT.filter((key) => before[key] !== undefined && (payload as Record<string, unknown>)[key] === undefined);
  return lost.length === 0 ? payload : { ...payload, ...Object.fromEntries(lost.map((key) => [key, before[key]])) };
}

/** What a rewrite leaves out of a tool's identity stays as it was; what it changes makes it malformed. */
function withIdentity(current: unknown, payload: unknown): object {
  if (typeof payload !== "object" || payload === null || Array.isArray(payload))
    throw malformed(`a rewrite must be a whole payload, not ${typeName(payload)}`);
  const before = toolOf(current);
  if (before === undefined) return payload;
  const after = toolOf(payload);
  if (after === undefined) throw malformed("the rewrite has no tool, but the call has");
  const lost: Record<string, unknown> = {};
  for (const key of IDENTITY) {
    if (before[key] === after[key]) continue;
    if (after[key] !== undefined)
      throw malformed(`a rewrite cannot change the tool's ${key} from ${shown(before[key])} to ${shown(after[key])}`);
    lost[key] = before[key];
  }
  if (after.input === undefined && before.input !== undefined) throw malformed("the rewrite has no tool.input, but the call has");
  checkKind(before.input, after.input);
  return Object.keys(lost).length === 0 ? payload : { ...payload, tool: { ...after, ...lost } };
}

/** No tool that takes an object knows what to do with a text, and no guard of its fields sees any in it. */
function checkKind(before: unknown, after: unknown): void {
  if (before !== undefined && before !== null && typeName(before) !== typeName(after))
    throw malformed(`the tool's input must stay ${typeName(before)}, not become ${typeName(after)}`);
}

function toolOf(payload: unknown): Record<string, unknown> | undefined {
  const tool = (payload as { tool?: unknown } | null | undefined)?.tool;
  return typeof tool === "object" && tool !== null ? (tool as Record<string, unknown>) : undefined;
}

function malformed(why: string): HookError {
  return new HookError("HL_BAD_MODIFY", why, { failure: "invalid_verdict" });
}
