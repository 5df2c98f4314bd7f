import { isDeepStrictEqual } from "node:util";
import type { AgentDecision, Translated } from "./definition.js";
import { isObject, type Json } from "./native-payload.js";
import { type ToolTable, toNative } from "./tool-table.js";

/** The result of a rewrite: no change, an input in the agent's form, or a reason why the call must not run. */
export type Rewrite = { readonly input?: Json; readonly refused?: string };

/**
 * The rewritten input of a tool call. A rewrite that the agent cannot apply is refused: otherwise it would run a call that no guard approved. `own`
 * is the agent's payload, if its field names differ from Claude Code's.
 */
export function toolRewrite(table: ToolTable, decision: AgentDecision, asked: Translated, own: unknown = asked.payload.raw): Rewrite {
  if (!decision.modified) return {};
  if (isChangedBeside(decision, asked, ["tool"])) return { refused: ELSEWHERE };
  const [before, after] = [toolOf(asked.payload), toolOf(decision.payload)];
  if (isSame(before, after)) return {};
  if (before === undefined || after === undefined || !isSame(withoutInput(before), withoutInput(after)))
    return { refused: "A rule changed which tool is called, and the agent accepts only a new input." };
  const raw = isObject(own) ? own.tool_input : undefined;
  const input = toNative(table, nameOf(before), after.input, raw);
  if (input !== undefined) return isSame(input, raw) ? {} : { input };
  return {
    refused:
      "A rule changed this call in a way that the agent does not accept: fields with the same meaning differ, or the input is not an object.",
  };
}

/** For events whose text reaches the model unchanged: a rewrite cannot be applied, so it is refused. */
export function textRewrite(decision: AgentDecision, asked: Translated): Rewrite {
  if (!decision.modified || !isChangedBeside(decision, asked, [])) return {};
  return {
    refused:
      "A rule changed this text, and the agent does not accept a changed text. Write it again without the part that the rule removed.",
  };
}

/** The subject of an event. A rewrite may omit other fields or add a note, but it may not omit these. */
const SUBJECTS = ["tool", "prompt", "command", "args", "instructions", "request"];
const ELSEWHERE = "A rule changed a part of this call that the agent does not accept. It accepts only a new input.";

/** Whether a rewrite changes anything besides the fields that the agent accepts. */
export function isChangedBeside({ payload }: AgentDecision, asked: Translated, told: readonly string[]): boolean {
  if (!isObject(payload)) return true;
  const keys = [...Object.keys(asked.payload).filter((key) => key in payload), ...SUBJECTS];
  return keys.some((key) => !told.includes(key) && !isSame(payload[key], asked.payload[key]));
}

/** Compared as JSON: a hook outside this process returns only what JSON can carry. */
export function isSame(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a, b) || isDeepStrictEqual(asJson(a), asJson(b));
}

function asJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value) ?? "null");
}

function withoutInput({ input: _, ...tool }: Json): Json {
  return tool;
}

function toolOf(payload: unknown): Json | undefined {
  return isObject(payload) && isObject(payload.tool) ? payload.tool : undefined;
}

function nameOf({ runtimeName, name }: Json): string {
  return typeof runtimeName === "string" ? runtimeName : String(name);
}

/** For an agent that accepts no rewrite of a call: why this one is denied. Undefined if nothing was changed. */
export function unacceptedRewrite(table: ToolTable, decision: AgentDecision, asked: Translated, own?: unknown): string | undefined {
  const { input, refused } = toolRewrite(table, decision, asked, own);
  if (refused !== undefined || input === undefined) return refused;
  return "A rule changed this call, and the agent would run the unchanged one. Make the call as the rule wants it.";
}
